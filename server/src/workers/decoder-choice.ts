import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import type { Utterance } from '../engines/engine.ts';
import type { WorkerSettings } from './messages.ts';
import { SpeechProcess } from './speech-process.ts';

/** The decoders Kokoro can speak with. The stock one sounds a little better and costs far more. */
export type KokoroEngineName = 'kokoro-fast' | 'kokoro-stock';

export interface DecoderChoice {
  readonly engine: KokoroEngineName;
  /** Seconds the stock decoder's engine needs for a second of audio on this machine. */
  readonly stockRealTimeFactor: number;
}

export interface DecoderChoiceOptions {
  readonly settings: WorkerSettings;
  readonly startTimeoutMs: number;
  /** The stock decoder is chosen when it needs less than this for a second of audio. */
  readonly realTimeFactorMax: number;
  /** Where the measurement is kept; it is made once per machine. */
  readonly cacheFolder: string;
}

const WORDS = 'this sentence tells how fast a machine can speak with the large decoder'.split(' ');
const TRIALS = 2;

/** Picks the better of the two decoders that this machine runs faster than real time, measuring it when need be. */
export async function chooseDecoder(options: DecoderChoiceOptions): Promise<DecoderChoice> {
  const path = join(options.cacheFolder, `machine-${machineId(options.settings.threads)}.json`);
  let stockRealTimeFactor = await readMeasurement(path);
  if (stockRealTimeFactor === undefined) {
    stockRealTimeFactor = await measureStock(options);
    await writeMeasurement(path, stockRealTimeFactor);
  }
  const isFastEnough = stockRealTimeFactor <= options.realTimeFactorMax;
  return { engine: isFastEnough ? 'kokoro-stock' : 'kokoro-fast', stockRealTimeFactor };
}

/** In a process of its own, so that the large decoder's memory is given back. */
async function measureStock(options: DecoderChoiceOptions): Promise<number> {
  const worker = await SpeechProcess.start(options.settings, options);
  try {
    await worker.load('kokoro-stock');
    let best = Number.POSITIVE_INFINITY;
    // The first trial pays for warming up; the best one is what the machine can do.
    for (let trial = 0; trial < TRIALS; trial++) best = Math.min(best, await realTimeFactor(worker));
    return best;
  } finally {
    await worker.stop();
  }
}

async function realTimeFactor(worker: SpeechProcess): Promise<number> {
  const utterance: Utterance = {
    words: WORDS.map((text, index) => ({ text, start: index, end: index, before: '', after: '' })),
    language: 'en-US',
    voice: { kind: 'named', name: 'af_heart' },
    speed: 1,
    seed: 1,
  };
  const startedAt = performance.now();
  let audioSeconds = 0;
  const options = {
    dueAtMs: Date.now(),
    isOpening: true,
    signal: new AbortController().signal,
    stream: worker,
  };
  for await (const part of worker.speak('kokoro-stock', utterance, options)) {
    audioSeconds += part.samples.length / part.sampleRateHz;
  }
  return (performance.now() - startedAt) / 1000 / audioSeconds;
}

function machineId(threads: number): string {
  const facts = [process.arch, cpus()[0]?.model ?? '', availableParallelism(), threads].join('|');
  return createHash('sha256').update(facts).digest('hex').slice(0, 16);
}

async function readMeasurement(path: string): Promise<number | undefined> {
  try {
    const { stockRealTimeFactor } = JSON.parse(await readFile(path, 'utf8'));
    return typeof stockRealTimeFactor === 'number' ? stockRealTimeFactor : undefined;
  } catch {
    return undefined; // Missing or damaged: measure again.
  }
}

async function writeMeasurement(path: string, stockRealTimeFactor: number): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify({ stockRealTimeFactor })}\n`);
  await rename(temporary, path);
}
