import { fileURLToPath } from 'node:url';
import { HEARING_RATE_HZ } from '../src/engines/asr-engine.ts';
import { ASR_ENGINES } from '../src/engines/asr-registry.ts';
import { TRANSCRIPTION_MODELS } from '../src/transcription/transcription-service.ts';
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

/** Does it, and tells what was heard in each recording. */
type Listen = (recording: Recording) => Promise<{ readonly text: string; readonly cpuSeconds: number }>;

/** Word errors and cost of each model over HTTP, and of each engine that is installed alone in its process. */
export async function measureHearing(context: BenchContext): Promise<PartReport> {
  const recordings = await openRecordings(context);
  const engines = new Map<string, Result>();
  for (const { name, models } of ASR_ENGINES) {
    const installed = await Promise.all(models.map((id) => context.store.find(id)));
    if (!installed.includes(undefined)) engines.set(name, await measureEngine(context, name, recordings));
  }
  const models = new Map<string, Result>();
  for (const model of TRANSCRIPTION_MODELS) {
    models.set(
      model,
      await measure(recordings, context.countWordErrors, async ({ file }) => {
        let text = '';
        const cpuSeconds = await serverCpuSeconds(context.server, async () => {
          ({ text } = await transcribe(context.server, file, model));
        });
        return { text, cpuSeconds };
      }),
    );
  }
  const rows = [...describe('engine alone', engines), ...describe('POST /v1/asr', models)];
  return {
    rows: [...rows, ...compare(engines.get(BARE_ENGINE), models)],
    data: { engines: Object.fromEntries(engines), models: Object.fromEntries(models) },
  };
}

async function measureEngine(
  { children, engineSettings, countWordErrors }: BenchContext,
  engine: string,
  recordings: readonly Recording[],
): Promise<Result> {
  const listener = new AskedProcess<HearingQuestion, HearingAnswer>(ENTRY, children);
  try {
    await listener.ask({ type: 'load', engine, settings: engineSettings });
    return await measure(recordings, countWordErrors, ({ samples }) =>
      listener.ask({ type: 'hear', samples }),
    );
  } finally {
    await listener.stop();
  }
}

async function measure(
  recordings: readonly Recording[],
  countWordErrors: CountWordErrors,
  listen: Listen,
): Promise<Result> {
  // The first ones pay for loading and warming up.
  for (const recording of recordings.slice(0, 2)) await listen(recording);
  const scores = [];
  for (const recording of recordings) {
    const { text, cpuSeconds } = await listen(recording);
    const seconds = recording.samples.length / HEARING_RATE_HZ;
    scores.push({ ...countWordErrors(recording.text, text), cpuSeconds, seconds });
  }
  return {
    wordErrorRate: sum(scores.map(({ errors }) => errors)) / sum(scores.map(({ words }) => words)),
    cpuPerSecond: sum(scores.map(({ cpuSeconds }) => cpuSeconds)) / sum(scores.map(({ seconds }) => seconds)),
  };
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
      target: noMore(usual!, bare, 'no more'),
    },
    {
      what: `word errors of ${TRANSCRIPTION_MODELS[1]} beside ${TRANSCRIPTION_MODELS[0]}`,
      value: `${percent(pro!.wordErrorRate, 2)}, ${percent(usual!.wordErrorRate, 2)}`,
      target: noMore(pro!, usual!, 'no more'),
    },
    {
      what: `cost of ${TRANSCRIPTION_MODELS[0]} to ${BARE_ENGINE} alone`,
      value: times(ratio),
      target: atMost(ratio, COST_RATIO_MAX, ' ×'),
    },
  ];
}

function noMore(one: Result, other: Result, text: string): Target {
  return { text, isMet: one.wordErrorRate <= other.wordErrorRate };
}
