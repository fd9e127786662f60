import { fileURLToPath } from 'node:url';
import { ASR_SAMPLE_RATE_HZ } from '../../src/domain/engines/asr-engine.ts';
import {
  TRANSCRIPTION_MODELS,
  type TranscriptionModel,
} from '../../src/domain/transcription/transcription-service.ts';
import { ASR_ENGINES } from '../../src/inference/engines/asr-registry.ts';
import { type BenchContext, serverCpuSeconds } from '../bench-context.ts';
import { transcribe } from '../clients/transcribe.ts';
import type { AsrEngineCall, AsrEngineResult } from '../processes/asr-engine-main.ts';
import { RpcProcess } from '../processes/rpc-process.ts';
import { openRecordings, type Recording } from '../recordings.ts';
import { atMost, cost, type PartReport, percent, type Row, type Target, times } from '../report.ts';
import { sum } from '../statistics.ts';
import type { CountWordErrors } from '../word-errors.ts';

const ENTRY = fileURLToPath(new URL('../processes/asr-engine-main.js', import.meta.url));
/** The engine compared with the default model, alone in a process. */
const BARE_ENGINE = 'moonshine-base';
/** Limit of the server's cost relative to the engine; includes VAD, segmentation, word times and HTTP. */
const COST_RATIO_MAX = 1.1;

interface Result {
  readonly wordErrorRate: number;
  readonly cpuPerSecond: number;
}

/** Transcribes a recording and measures its cost. */
type Transcribe = (recording: Recording) => Promise<AsrEngineResult>;

/**
 * Word errors and cost of each model over HTTP, and of each installed engine alone in its process. The default model and
 * the engine it is compared with transcribe each recording concurrently, so that other load affects both equally.
 */
export async function measureTranscription(context: BenchContext): Promise<PartReport> {
  const recordings = await openRecordings(context);
  const engines = new Map<string, Result>();
  const models = new Map<string, Result>();
  for (const engine of await installedEngines(context)) {
    const model = engine === BARE_ENGINE ? TRANSCRIPTION_MODELS[0] : undefined;
    const results = await withEngineAlone(context, engine, (alone) =>
      measure(recordings, context.countWordErrors, [
        alone,
        ...(model === undefined ? [] : [overHttp(context, model)]),
      ]),
    );
    engines.set(engine, results[0]!);
    if (model !== undefined) models.set(model, results[1]!);
  }
  for (const model of TRANSCRIPTION_MODELS.filter((name) => !models.has(name))) {
    const [result] = await measure(recordings, context.countWordErrors, [overHttp(context, model)]);
    models.set(model, result!);
  }
  const rows = [...describe('engine alone', engines), ...describe('POST /v1/asr', models)];
  return {
    rows: [...rows, ...compare(engines.get(BARE_ENGINE), models)],
    data: { engines: Object.fromEntries(engines), models: Object.fromEntries(models) },
  };
}

async function installedEngines({ store }: BenchContext): Promise<string[]> {
  const names: string[] = [];
  for (const { name, models } of ASR_ENGINES) {
    const installed = await Promise.all(models.map((id) => store.find(id)));
    if (!installed.includes(undefined)) names.push(name);
  }
  return names;
}

function overHttp({ server }: BenchContext, model: TranscriptionModel): Transcribe {
  return async ({ file }) => {
    let text = '';
    const cpuSeconds = await serverCpuSeconds(server, async () => {
      ({ text } = await transcribe(server, file, model));
    });
    return { text, cpuSeconds };
  };
}

async function withEngineAlone<Value>(
  { children, engineSettings }: BenchContext,
  engine: string,
  work: (transcribe: Transcribe) => Promise<Value>,
): Promise<Value> {
  const engineProcess = new RpcProcess<AsrEngineCall, AsrEngineResult>(ENTRY, children);
  try {
    await engineProcess.call({ type: 'load', engine, settings: engineSettings });
    return await work(({ samples }) => engineProcess.call({ type: 'transcribe', samples }));
  } finally {
    await engineProcess.stop();
  }
}

/** One result per transcriber. A first round, which is not counted, loads and warms up. */
async function measure(
  recordings: readonly Recording[],
  countWordErrors: CountWordErrors,
  transcribers: readonly Transcribe[],
): Promise<Result[]> {
  const transcribeAll = (recording: Recording) =>
    Promise.all(transcribers.map((transcriber) => transcriber(recording)));
  for (const recording of recordings) await transcribeAll(recording);
  const rounds: AsrEngineResult[][] = [];
  for (const recording of recordings) rounds.push(await transcribeAll(recording));
  const seconds = sum(recordings.map(({ samples }) => samples.length / ASR_SAMPLE_RATE_HZ));
  return transcribers.map((_, index) => {
    const results = rounds.map((round) => round[index]!);
    const scores = results.map(({ text }, at) => countWordErrors(recordings[at]!.text, text));
    return {
      wordErrorRate: sum(scores.map(({ errors }) => errors)) / sum(scores.map(({ words }) => words)),
      cpuPerSecond: sum(results.map(({ cpuSeconds }) => cpuSeconds)) / seconds,
    };
  });
}

function describe(where: string, results: ReadonlyMap<string, Result>): Row[] {
  return [...results].map(([name, { wordErrorRate, cpuPerSecond }]) => ({
    what: `transcription, ${where}: ${name}`,
    value: `${percent(wordErrorRate, 2)} word errors, ${cost(cpuPerSecond)}`,
  }));
}

function compare(bare: Result | undefined, models: ReadonlyMap<string, Result>): Row[] {
  const [standard, pro] = TRANSCRIPTION_MODELS.map((model) => models.get(model)!);
  if (bare === undefined) return [{ what: 'transcription', value: `${BARE_ENGINE} is not installed` }];
  const ratio = standard!.cpuPerSecond / bare.cpuPerSecond;
  return [
    {
      what: `word errors of ${TRANSCRIPTION_MODELS[0]} and of ${BARE_ENGINE} alone`,
      value: `${percent(standard!.wordErrorRate, 2)}, ${percent(bare.wordErrorRate, 2)}`,
      target: atMostErrors(standard!, bare),
    },
    {
      what: `word errors of ${TRANSCRIPTION_MODELS[1]} and of ${TRANSCRIPTION_MODELS[0]}`,
      value: `${percent(pro!.wordErrorRate, 2)}, ${percent(standard!.wordErrorRate, 2)}`,
      target: { text: 'fewer', isMet: pro!.wordErrorRate < (standard!.wordErrorRate || Number.MIN_VALUE) },
    },
    {
      what: `cost of ${TRANSCRIPTION_MODELS[0]} to ${BARE_ENGINE} alone, at the same time`,
      value: `${cost(standard!.cpuPerSecond)}, ${cost(bare.cpuPerSecond)}: ${times(ratio)}`,
      target: atMost(ratio, COST_RATIO_MAX, ' ×'),
    },
  ];
}

function atMostErrors(one: Result, other: Result): Target {
  return { text: 'no more', isMet: one.wordErrorRate <= other.wordErrorRate };
}
