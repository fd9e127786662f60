import { z } from 'zod';
import type { WorkerSettings } from '../process/messages.ts';
import { recall } from './machine-record.ts';
import { trySpeech } from './trial-speech.ts';

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

const TRIALS = 2;
const Facts = z.object({ stockRealTimeFactor: z.number() });

/** Picks the better of the two decoders that this machine runs faster than real time, measuring it when need be. */
export async function chooseDecoder(options: DecoderChoiceOptions): Promise<DecoderChoice> {
  const { settings, cacheFolder: folder } = options;
  const { stockRealTimeFactor } = await recall(
    { name: 'machine', folder, conditions: [settings.threads], schema: Facts },
    async () => {
      const { realTimeFactor } = await trySpeech('kokoro-stock', { ...options, trials: TRIALS });
      return { stockRealTimeFactor: realTimeFactor };
    },
  );
  const isFastEnough = stockRealTimeFactor <= options.realTimeFactorMax;
  return { engine: isFastEnough ? 'kokoro-stock' : 'kokoro-fast', stockRealTimeFactor };
}
