import { fileURLToPath } from 'node:url';
import { ASR_SAMPLE_RATE_HZ } from '../src/domain/engines/asr-engine.ts';
import {
  TRANSCRIPTION_MODELS,
  type TranscriptionModel,
} from '../src/domain/transcription/transcription-service.ts';
import { ASR_ENGINES } from '../src/inference/engines/asr-registry.ts';
import { AskedProcess } from './asked-process.ts';
import { type BenchContext, serverCpuSeconds } from './bench-context.ts';
import type { HearingAnswer, HearingQuestion } from './hearing-engine-main.ts';
import { openRecordings, type Recording } from './recordings.ts';
import { atMost, cost, type PartReport, percent, type Row, type Target, times } from './report.ts';
import { sum } from './statistics.ts';
import { transcribe } from './transcribe.ts';
import type { CountWordErrors } from './word-errors.ts';

const ENTRY = fileURLToPath(new URL('./hearing-engine-main.js', import.meta.url));
/** What the default model is measured against, alone in a process. */
const BARE_ENGINE = 'moonshine-base';
/** What the server may cost beside the engine: finding speech, cutting it, word times, HTTP. */
const COST_RATIO_MAX = 1.1;

interface Result {
  readonly wordErrorRate: number;
  readonly cpuPerSecond: number;
}

/** Hears a recording, and tells what it cost. */
type Listen = (recording: Recording) => Promise<HearingAnswer>;

/**
 * Word errors and cost of each model over HTTP, and of each engine that is installed alone in its process. The model
 * that answers by default and the engine it is compared with hear each recording at the same time: what slows one of
 * them down, on a machine that others use, slows the other.
 */
export async function measureHearing(context: BenchContext): Promise<PartReport> {
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

function overHttp({ server }: BenchContext, model: TranscriptionModel): Listen {
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
  work: (listen: Listen) => Promise<Value>,
): Promise<Value> {
  const listener = new AskedProcess<HearingQuestion, HearingAnswer>(ENTRY, children);
  try {
    await listener.ask({ type: 'load', engine, settings: engineSettings });
    return await work(({ samples }) => listener.ask({ type: 'hear', samples }));
  } finally {
    await listener.stop();
  }
}

/** One result for each way of listening. A first round, which nobody counts, pays for loading and warming up. */
async function measure(
  recordings: readonly Recording[],
  countWordErrors: CountWordErrors,
  ways: readonly Listen[],
): Promise<Result[]> {
  const hearAll = (recording: Recording) => Promise.all(ways.map((listen) => listen(recording)));
  for (const recording of recordings) await hearAll(recording);
  const heard: HearingAnswer[][] = [];
  for (const recording of recordings) heard.push(await hearAll(recording));
  const seconds = sum(recordings.map(({ samples }) => samples.length / ASR_SAMPLE_RATE_HZ));
  return ways.map((_, way) => {
    const answers = heard.map((of) => of[way]!);
    const scores = answers.map(({ text }, index) => countWordErrors(recordings[index]!.text, text));
    return {
      wordErrorRate: sum(scores.map(({ errors }) => errors)) / sum(scores.map(({ words }) => words)),
      cpuPerSecond: sum(answers.map(({ cpuSeconds }) => cpuSeconds)) / seconds,
    };
  });
}

function describe(where: string, results: ReadonlyMap<string, Result>): Row[] {
  return [...results].map(([name, { wordErrorRate, cpuPerSecond }]) => ({
    what: `hearing, ${where}: ${name}`,
    value: `${percent(wordErrorRate, 2)} word errors, ${cost(cpuPerSecond)}`,
  }));
}

function compare(bare: Result | undefined, models: ReadonlyMap<string, Result>): Row[] {
  const [usual, pro] = TRANSCRIPTION_MODELS.map((model) => models.get(model)!);
  if (bare === undefined) return [{ what: 'hearing', value: `${BARE_ENGINE} is not installed` }];
  const ratio = usual!.cpuPerSecond / bare.cpuPerSecond;
  return [
    {
      what: `word errors of ${TRANSCRIPTION_MODELS[0]} beside ${BARE_ENGINE} alone`,
      value: `${percent(usual!.wordErrorRate, 2)}, ${percent(bare.wordErrorRate, 2)}`,
      target: noMore(usual!, bare),
    },
    {
      what: `word errors of ${TRANSCRIPTION_MODELS[1]} beside ${TRANSCRIPTION_MODELS[0]}`,
      value: `${percent(pro!.wordErrorRate, 2)}, ${percent(usual!.wordErrorRate, 2)}`,
      target: { text: 'fewer', isMet: pro!.wordErrorRate < (usual!.wordErrorRate || Number.MIN_VALUE) },
    },
    {
      what: `cost of ${TRANSCRIPTION_MODELS[0]} to ${BARE_ENGINE} alone, at the same time`,
      value: `${cost(usual!.cpuPerSecond)}, ${cost(bare.cpuPerSecond)}: ${times(ratio)}`,
      target: atMost(ratio, COST_RATIO_MAX, ' ×'),
    },
  ];
}

function noMore(one: Result, other: Result): Target {
  return { text: 'no more', isMet: one.wordErrorRate <= other.wordErrorRate };
}
