import { decibelsToFactor } from '../gain.ts';
import { Limiter } from './limiter.ts';
import { LoudnessMeter } from './loudness.ts';

const DEFAULT_TARGET_LUFS = -16;

// Slow enough that no listener hears the gain move, and bounded, so that a whisper stays one.
const MAX_CORRECTION_DB = 4;
const MAX_SLEW_DB_PER_HOP = 0.05;

// After this much speech the measurement counts for half.
const HALF_TRUST_SECONDS = 3;

/** How a stream shall be levelled. */
export interface LoudnessNormalizerOptions {
  readonly sampleRateHz: number;
  readonly targetLufs?: number;
  /** What brings this voice to the target, measured beforehand. Applied from the first sample on. */
  readonly voiceGainDb?: number;
  /** What the client asked for on top; it moves the target as well. */
  readonly volumeDb?: number;
}

/**
 * Brings speech to an even loudness as it streams: a gain known beforehand for the voice, a slow and
 * bounded correction from what is heard, and a limiter that keeps peaks from clipping. Total length is
 * kept, and the output does not depend on how the input is cut into calls.
 */
export class LoudnessNormalizer {
  readonly #meter: LoudnessMeter;
  readonly #limiter: Limiter;
  readonly #targetLufs: number;
  readonly #voiceGainDb: number;
  readonly #volumeDb: number;
  #correctionDb = 0;
  #gainFrom: number;
  #gainTo: number;
  #hopFill = 0;
  #scratch = new Float32Array(0);

  constructor(options: LoudnessNormalizerOptions) {
    this.#meter = new LoudnessMeter(options.sampleRateHz);
    this.#limiter = new Limiter({ sampleRateHz: options.sampleRateHz });
    this.#targetLufs = options.targetLufs ?? DEFAULT_TARGET_LUFS;
    this.#voiceGainDb = options.voiceGainDb ?? 0;
    this.#volumeDb = options.volumeDb ?? 0;
    this.#gainFrom = this.#gain();
    this.#gainTo = this.#gainFrom;
  }

  /**
   * Takes the next samples and returns what is decided by now. Speech that is meant to be louder or softer
   * than the voice's own is not `isUsual`: it keeps the gain found so far and does not move it.
   */
  process(samples: Float32Array, { isUsual = true } = {}): Float32Array {
    const levelled = this.#scratchFor(samples.length);
    const { hopSamples } = this.#meter;
    for (let offset = 0; offset < samples.length; ) {
      const end = Math.min(offset + hopSamples - this.#hopFill, samples.length);
      const gainFrom = this.#gainFrom;
      const slope = (this.#gainTo - gainFrom) / hopSamples;
      const hopStart = offset - this.#hopFill;
      for (let i = offset; i < end; i++) {
        levelled[i] = (samples[i] as number) * (gainFrom + slope * (i - hopStart));
      }
      if (isUsual) this.#meter.process(samples.subarray(offset, end));
      this.#hopFill += end - offset;
      offset = end;
      if (this.#hopFill === hopSamples) this.#endHop();
    }
    return this.#limiter.process(levelled);
  }

  /** The rest of the output. Nothing may be processed afterwards. */
  flush(): Float32Array {
    return this.#limiter.flush();
  }

  /** One array serves all calls: the limiter keeps none of what it is given. */
  #scratchFor(length: number): Float32Array {
    if (this.#scratch.length < length) this.#scratch = new Float32Array(length);
    return this.#scratch.subarray(0, length);
  }

  #endHop(): void {
    this.#hopFill = 0;
    const step = this.#wantedCorrectionDb() - this.#correctionDb;
    this.#correctionDb += clamp(step, MAX_SLEW_DB_PER_HOP);
    this.#gainFrom = this.#gainTo;
    this.#gainTo = this.#gain();
  }

  #wantedCorrectionDb(): number {
    const heardLufs = this.#meter.integratedLufs();
    if (heardLufs === Number.NEGATIVE_INFINITY) return 0;
    const { soundSeconds } = this.#meter;
    const trust = soundSeconds / (soundSeconds + HALF_TRUST_SECONDS);
    return trust * clamp(this.#targetLufs - heardLufs - this.#voiceGainDb, MAX_CORRECTION_DB);
  }

  #gain(): number {
    return decibelsToFactor(this.#voiceGainDb + this.#correctionDb + this.#volumeDb);
  }
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}
