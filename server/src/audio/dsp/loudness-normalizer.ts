import { decibelsToFactor } from '../gain.ts';
import { applyGainRamp } from './gain-ramp.ts';
import { Limiter } from './limiter.ts';
import { LoudnessMeter } from './loudness.ts';

const DEFAULT_TARGET_LUFS = -16;

// Slow enough to be inaudible, and bounded, so that a whisper remains quiet.
const MAX_CORRECTION_DB = 4;
const MAX_SLEW_DB_PER_HOP = 0.05;

/** Longer inputs are rare, and their array is not kept. */
const SCRATCH_MAX_SAMPLES = 2 ** 18;

// After this much speech the measurement has a weight of one half.
const HALF_WEIGHT_SECONDS = 3;

export interface LoudnessNormalizerOptions {
  readonly sampleRateHz: number;
  readonly targetLufs?: number;
  /** The gain that brings this voice to the target, measured in advance. Applied from the first sample on. */
  readonly voiceGainDb?: number;
  /** The volume requested by the client, in addition to the target. */
  readonly volumeDb?: number;
}

/**
 * Normalizes the loudness of streamed speech: a fixed gain for the voice, a slow and bounded correction from the measured
 * loudness, and a limiter against clipping. The total length does not change, and the output does not depend on how the
 * input is divided into calls.
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
   * Takes the next samples and returns those that are final. Speech that the engine has brought to the loudness of its voice
   * needs no correction, and speech that is acted louder or softer must not change it: for both, `isMeasured` is false.
   */
  process(samples: Float32Array, { isMeasured = true } = {}): Float32Array {
    const normalized = scratchFor(samples.length);
    const { hopSamples } = this.#meter;
    for (let offset = 0; offset < samples.length; ) {
      const end = Math.min(offset + hopSamples - this.#hopFill, samples.length);
      const gain = this.#gainFrom;
      const slope = (this.#gainTo - gain) / hopSamples;
      applyGainRamp(samples, normalized, { offset, end, gain, slope, from: this.#hopFill });
      if (isMeasured) this.#meter.process(samples.subarray(offset, end));
      this.#hopFill += end - offset;
      offset = end;
      if (this.#hopFill === hopSamples) this.#endHop();
    }
    return this.#limiter.process(normalized);
  }

  /** Returns the remaining samples. Ends the stream. */
  flush(): Float32Array {
    return this.#limiter.flush();
  }

  #endHop(): void {
    this.#hopFill = 0;
    const step = this.#wantedCorrectionDb() - this.#correctionDb;
    this.#correctionDb += clamp(step, MAX_SLEW_DB_PER_HOP);
    this.#gainFrom = this.#gainTo;
    this.#gainTo = this.#gain();
  }

  #wantedCorrectionDb(): number {
    const measuredLufs = this.#meter.integratedLufs();
    if (measuredLufs === Number.NEGATIVE_INFINITY) return 0;
    const { gatedSeconds } = this.#meter;
    const weight = gatedSeconds / (gatedSeconds + HALF_WEIGHT_SECONDS);
    return weight * clamp(this.#targetLufs - measuredLufs - this.#voiceGainDb, MAX_CORRECTION_DB);
  }

  #gain(): number {
    return decibelsToFactor(this.#voiceGainDb + this.#correctionDb + this.#volumeDb);
  }
}

/** One array for the calls of all streams; the limiter does not retain it. */
let scratch = new Float32Array(0);

function scratchFor(length: number): Float32Array {
  if (length > SCRATCH_MAX_SAMPLES) return new Float32Array(length);
  if (scratch.length < length) scratch = new Float32Array(length);
  return scratch.subarray(0, length);
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}
