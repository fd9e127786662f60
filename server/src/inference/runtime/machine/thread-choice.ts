import { z } from 'zod';
import type { WorkerSettings } from '../process/messages.ts';
import { loadOrMeasure } from './measurement-cache.ts';
import { measureSpeech, type SpeechMeasurement } from './speech-measurement.ts';

/** Allocation of the cores of a machine: number of workers and threads per worker. */
export interface ThreadChoice {
  readonly workers: number;
  readonly threads: number;
}

export interface ThreadChoiceOptions {
  readonly cores: number;
  /** Maximum number of workers, which limits memory use. */
  readonly workersMax: number;
  readonly engine: string;
  readonly settings: Omit<WorkerSettings, 'threads'>;
  readonly startTimeoutMs: number;
  /** Folder of the cached measurement, which is made once per machine. */
  readonly cacheFolder: string;
}

/** The measured performance of an allocation. */
export interface MeasuredThreadChoice extends ThreadChoice, SpeechMeasurement {}

const TRIALS = 4;
/** Conditions to prefer another allocation to the one with the highest throughput: relative throughput and first audio. */
const THROUGHPUT_MIN = 0.9;
const FIRST_AUDIO_MAX = 0.75;
const MeasurementsSchema = z.array(
  z.object({
    workers: z.number(),
    threads: z.number(),
    firstAudioSeconds: z.number(),
    realTimeFactor: z.number(),
  }),
);

/** Selects the best allocation by measurement on this machine, measuring if necessary. */
export async function chooseThreads(options: ThreadChoiceOptions): Promise<ThreadChoice> {
  const candidates = candidateThreadCounts(options.cores, options.workersMax);
  if (candidates.length === 1) return candidates[0]!;
  const measured = await loadOrMeasure(
    {
      name: 'threads',
      folder: options.cacheFolder,
      conditions: [options.workersMax],
      schema: MeasurementsSchema,
    },
    async () => {
      const results: MeasuredThreadChoice[] = [];
      for (const candidate of candidates) {
        const settings = { ...options.settings, threads: candidate.threads };
        results.push({
          ...candidate,
          ...(await measureSpeech(options.engine, { ...options, settings, trials: TRIALS })),
        });
      }
      return results;
    },
  );
  const { workers, threads } = selectThreadCount(measured);
  return { workers, threads };
}

/** Thread counts that use all cores: the minimum that `workersMax` allows, and twice that. */
export function candidateThreadCounts(cores: number, workersMax: number): ThreadChoice[] {
  const least = Math.max(1, Math.ceil(cores / workersMax));
  return [least, 2 * least]
    .filter((threads) => threads <= cores)
    .map((threads) => ({ threads, workers: Math.max(1, Math.floor(cores / threads)) }));
}

/** The allocation with the highest throughput, or one with nearly the same throughput and much earlier first audio. */
export function selectThreadCount(measured: readonly MeasuredThreadChoice[]): MeasuredThreadChoice {
  const throughput = ({ workers, realTimeFactor }: MeasuredThreadChoice) => workers / realTimeFactor;
  const fastest = measured.reduce((best, choice) => (throughput(choice) > throughput(best) ? choice : best));
  const earliest = measured
    .filter((choice) => throughput(choice) >= THROUGHPUT_MIN * throughput(fastest))
    .reduce((best, choice) => (choice.firstAudioSeconds < best.firstAudioSeconds ? choice : best));
  return earliest.firstAudioSeconds <= FIRST_AUDIO_MAX * fastest.firstAudioSeconds ? earliest : fastest;
}
