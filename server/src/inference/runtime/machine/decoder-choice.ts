import { z } from 'zod';
import type { WorkerSettings } from '../process/messages.ts';
import { loadMeasurement, loadOrMeasure } from './measurement-cache.ts';
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

/** The choice by an earlier measurement of this machine, or that needs none. Undefined: the machine is to be measured. */
export async function findDecoderChoice(options: DecoderChoiceOptions): Promise<DecoderChoice | undefined> {
  if (options.realTimeFactorMax === 0) return { engine: 'kokoro-fast' };
  const measured = await loadMeasurement(cacheOf(options));
  return measured && choose(measured, options);
}

/** Selects the stock decoder if this machine runs it within the limit, measuring it if necessary. */
export async function chooseDecoder(options: DecoderChoiceOptions): Promise<DecoderChoice> {
  if (options.realTimeFactorMax === 0) return { engine: 'kokoro-fast' };
  const measured = await loadOrMeasure(cacheOf(options), async () => {
    const { realTimeFactor } = await measureSpeech('kokoro-stock', {
      ...options,
      trials: TRIALS,
      isConclusive: (trial) => trial.realTimeFactor > CONCLUSIVE_FACTOR * options.realTimeFactorMax,
    });
    return { stockRealTimeFactor: realTimeFactor };
  });
  return choose(measured, options);
}

function cacheOf({ settings, cacheFolder: folder }: DecoderChoiceOptions) {
  return { folder, conditions: [settings.threads], schema: MeasurementSchema } as const;
}

function choose(
  { stockRealTimeFactor }: z.output<typeof MeasurementSchema>,
  { realTimeFactorMax }: DecoderChoiceOptions,
): DecoderChoice {
  const isFastEnough = stockRealTimeFactor <= realTimeFactorMax;
  return { engine: isFastEnough ? 'kokoro-stock' : 'kokoro-fast', stockRealTimeFactor };
}
