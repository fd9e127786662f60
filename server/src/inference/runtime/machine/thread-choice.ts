import { z } from 'zod';
import type { WorkerSettings } from '../process/messages.ts';
import { recall } from './machine-record.ts';
import { type TrialSpeech, trySpeech } from './trial-speech.ts';

/** How the cores of a machine are shared out: processes, and threads in each. */
export interface ThreadChoice {
  readonly workers: number;
  readonly threads: number;
}

export interface ThreadChoiceOptions {
  readonly cores: number;
  /** More workers than this only cost memory. */
  readonly workersMax: number;
  readonly engine: string;
  readonly settings: Omit<WorkerSettings, 'threads'>;
  readonly startTimeoutMs: number;
  /** Where the measurement is kept; it is made once per machine. */
  readonly cacheFolder: string;
}

/** What a way to share out the cores was measured to do. */
export interface MeasuredShare extends ThreadChoice, TrialSpeech {}

const TRIALS = 4;
/** Other shares than the one that serves the most listeners must serve nearly as many, and sound much earlier. */
const THROUGHPUT_MIN = 0.9;
const FIRST_AUDIO_MAX = 0.75;
const Facts = z.array(
  z.object({
    workers: z.number(),
    threads: z.number(),
    firstAudioSeconds: z.number(),
    realTimeFactor: z.number(),
  }),
);

/** Shares out the cores as it measured best on this machine, measuring when need be. */
export async function chooseThreads(options: ThreadChoiceOptions): Promise<ThreadChoice> {
  const ways = waysToShare(options.cores, options.workersMax);
  if (ways.length === 1) return ways[0]!;
  const measured = await recall(
    { name: 'threads', folder: options.cacheFolder, conditions: [options.workersMax], schema: Facts },
    async () => {
      const shares: MeasuredShare[] = [];
      for (const way of ways) {
        const settings = { ...options.settings, threads: way.threads };
        shares.push({
          ...way,
          ...(await trySpeech(options.engine, { ...options, settings, trials: TRIALS })),
        });
      }
      return shares;
    },
  );
  const { workers, threads } = bestShare(measured);
  return { workers, threads };
}

/** Whole numbers of threads that leave no core idle: as few as the number of workers allows, then twice as many. */
export function waysToShare(cores: number, workersMax: number): ThreadChoice[] {
  const least = Math.max(1, Math.ceil(cores / workersMax));
  return [least, 2 * least]
    .filter((threads) => threads <= cores)
    .map((threads) => ({ threads, workers: Math.max(1, Math.floor(cores / threads)) }));
}

/** The share that serves the most listeners, or one that serves nearly as many and sounds much earlier. */
export function bestShare(shares: readonly MeasuredShare[]): MeasuredShare {
  const throughput = ({ workers, realTimeFactor }: MeasuredShare) => workers / realTimeFactor;
  const widest = shares.reduce((best, share) => (throughput(share) > throughput(best) ? share : best));
  const earliest = shares
    .filter((share) => throughput(share) >= THROUGHPUT_MIN * throughput(widest))
    .reduce((best, share) => (share.firstAudioSeconds < best.firstAudioSeconds ? share : best));
  return earliest.firstAudioSeconds <= FIRST_AUDIO_MAX * widest.firstAudioSeconds ? earliest : widest;
}
