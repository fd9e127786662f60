import { z } from 'zod';
import type { WorkerSettings } from '../process/messages.ts';
import { loadOrMeasure } from './measurement-cache.ts';
import { measureSpeech } from './speech-measurement.ts';

/** The decoders of Kokoro. The stock decoder has slightly better quality and a much higher cost. */
export type KokoroEngineName = 'kokoro-fast' | 'kokoro-stock';

export interface DecoderChoice {
  readonly engine: KokoroEngineName;
  /** Real-time factor of the stock decoder on this machine: seconds of work per second of audio. Undefined: not measured. */
  readonly stockRealTimeFactor?: number;
}

export interface DecoderChoiceOptions {
  readonly settings: WorkerSettings;
  readonly startTimeoutMs: number;
  /** The stock decoder is selected up to this real-time factor. 0: never, without a measurement. */
  readonly realTimeFactorMax: number;
  /** Folder of the cached measurement, which is made once per machine. */
  readonly cacheFolder: string;
}

const TRIALS = 2;
/** A first trial above this multiple of the limit decides: the warm-up costs less than an equal part. */
const CONCLUSIVE_FACTOR = 2;
const MeasurementSchema = z.object({ stockRealTimeFactor: z.number() });

/** Selects the stock decoder if this machine runs it within the limit, measuring it if necessary. */
export async function chooseDecoder(options: DecoderChoiceOptions): Promise<DecoderChoice> {
  const { settings, cacheFolder: folder } = options;
  if (options.realTimeFactorMax === 0) return { engine: 'kokoro-fast' };
  const { stockRealTimeFactor } = await loadOrMeasure(
    { name: 'machine', folder, conditions: [settings.threads], schema: MeasurementSchema },
    async () => {
      const { realTimeFactor } = await measureSpeech('kokoro-stock', {
        ...options,
        trials: TRIALS,
        isConclusive: (trial) => trial.realTimeFactor > CONCLUSIVE_FACTOR * options.realTimeFactorMax,
      });
      return { stockRealTimeFactor: realTimeFactor };
    },
  );
  const isFastEnough = stockRealTimeFactor <= options.realTimeFactorMax;
  return { engine: isFastEnough ? 'kokoro-stock' : 'kokoro-fast', stockRealTimeFactor };
}
