import { applyGainRamp } from '../../../audio/dsp/gain-ramp.ts';
import { RELEASE_SECONDS } from '../../../audio/dsp/limiter.ts';
import type { StepLevels, StepMeter } from '../../../audio/dsp/step-levels.ts';
import { decibelsToFactor } from '../../../audio/gain.ts';
import type { UtteranceLoudness } from '../../../domain/engines/tts-engine.ts';
import { blocksOfSteps, integratedLoudness, type LoudnessBlocks } from './block-loudness.ts';

const MAX_GAIN_DB = 4;
/** Maximum change of the gain from one window to the next. */
const MAX_CHANGE_DB = 1.5;
/** The gain changes over this time at the start of a window. */
const RAMP_SECONDS = 0.2;
/** After this much speech its level has as much weight as the level of the voice. */
const HALF_WEIGHT_SECONDS = 3;
/** The gated loudness after a limiter is not linear in the gain. With these the error is below 0.02 LU. */
const ITERATIONS = 4;
const PRECISION_DB = 0.01;
/** Minimum share of the power that a change of the gain is assumed to reach, so that it stays bounded. */
const REACHED_SHARE_MIN = 0.25;
/** Speech loses 0.1 to 0.8 LU in the limiter, by voice. With this loss on average the voices keep their measured level. */
const TYPICAL_LIMITER_LOSS_LU = 0.4;
/** Greater losses are not made up for completely, since more gain is more limiting. */
const MAX_LIMITER_LOSS_LU = 1;

export interface UtteranceLevellerOptions {
  readonly loudness: UtteranceLoudness;
  /** Measures steps. Windows are multiples of them. */
  readonly meter: StepMeter;
}

/**
 * Makes the utterances of a voice equally loud while they are decoded, without delay. The gain of a window is the one with
 * which the complete utterance would have the target loudness after the limiter: the windows before it and the window
 * itself are measured, the level of the rest is predicted. The gain of the last window is therefore exact, and that of an
 * utterance of one window.
 */
export class UtteranceLeveller {
  readonly #targetLufs: number;
  readonly #ceiling: number;
  readonly #meter: StepMeter;
  readonly #stepSeconds: number;
  readonly #rampSteps: number;
  /** Share of the reduction of the limiter that is left after a step. */
  readonly #releaseShare: number;
  readonly #blocks: LoudnessBlocks;
  /** Predicted power of all steps, in any unit. */
  #predicted = new Float64Array(0);
  /** Power and peak of the steps as decoded. */
  #decoded: StepLevels = { powers: new Float64Array(0), peaks: new Float64Array(0) };
  /** Power of the steps with the gain and the limiter; that of steps that are not decoded yet is expected. */
  #levelled: Float64Array = new Float64Array(0);
  #count = 0;
  /** Undefined until a window has sound. */
  #gainDb: number | undefined;
  /** Gain of the limiter at the end of the last step. */
  #limiterGain = 1;

  constructor({ loudness, meter }: UtteranceLevellerOptions) {
    this.#targetLufs = loudness.targetLufs;
    this.#ceiling = decibelsToFactor(loudness.ceilingDbfs);
    this.#meter = meter;
    this.#stepSeconds = meter.samplesPerStep / meter.sampleRateHz;
    this.#rampSteps = Math.round(RAMP_SECONDS / this.#stepSeconds);
    this.#releaseShare = Math.exp(-this.#stepSeconds / RELEASE_SECONDS);
    this.#blocks = blocksOfSteps(this.#stepSeconds);
  }

  /**
   * Sets the predicted levels of all steps of the utterance, in decibels relative to each other. A later call replaces
   * them, when more of the utterance is known.
   */
  predict(levelsDb: Float32Array): void {
    const { length } = levelsDb;
    this.#predicted = new Float64Array(length);
    for (let step = 0; step < length; step++) this.#predicted[step] = 10 ** (levelsDb[step]! / 10);
    const { powers, peaks } = this.#decoded;
    this.#decoded = { powers: resize(powers, length), peaks: resize(peaks, length) };
    this.#levelled = resize(this.#levelled, length);
  }

  /** Applies the gain to the samples of the next window, in place. */
  process(samples: Float32Array): void {
    const from = this.#count;
    const { samplesPerStep } = this.#meter;
    const steps = Math.floor(samples.length / samplesPerStep);
    this.#count = Math.min(this.#predicted.length, from + steps);
    this.#meter.measure(samples, this.#count - from, this.#decoded, from);
    const wantedDb = this.#wantedGainDb(from);
    if (wantedDb === undefined) return;
    const previousDb = this.#gainDb ?? wantedDb;
    this.#gainDb = previousDb + clamp(wantedDb - previousDb, MAX_CHANGE_DB);
    const gain = decibelsToFactor(this.#gainDb);
    const change = decibelsToFactor(previousDb) - gain;
    const ramp = change === 0 ? 0 : this.#rampSteps * samplesPerStep;
    const rampEnd = Math.min(ramp, samples.length);
    const slope = ramp === 0 ? 0 : -change / ramp;
    applyGainRamp(samples, samples, { offset: 0, end: rampEnd, gain: gain + change, slope, from: 0 });
    applyGainRamp(samples, samples, { offset: rampEnd, end: samples.length, gain, slope: 0, from: 0 });
    this.#limiterGain = this.#limit(from, gain, change);
  }

  /**
   * Writes the power of the steps of a window after a gain and the limiter, whose gain falls at once and returns
   * exponentially. The gain begins higher by `change`. Returns the gain of the limiter after them. The loss of loudness
   * agrees with that of the limiter within 0.05 LU.
   */
  #limit(from: number, gain: number, change: number): number {
    const { powers, peaks } = this.#decoded;
    let limiterGain = this.#limiterGain;
    for (let step = from; step < this.#count; step++) {
      const applied = gain + change * Math.max(0, 1 - (step - from + 0.5) / this.#rampSteps);
      const released = 1 - (1 - limiterGain) * this.#releaseShare;
      limiterGain = Math.min(released, this.#ceiling / (applied * peaks[step]!));
      this.#levelled[step] = powers[step]! * (applied * limiterGain) ** 2;
    }
    return limiterGain;
  }

  /** Undefined before the first sound. */
  #wantedGainDb(from: number): number | undefined {
    const decodedLufs = integratedLoudness(this.#decoded.powers, this.#blocks, this.#count);
    if (decodedLufs === Number.NEGATIVE_INFINITY) return undefined;
    const rest = this.#expectedRest(decodedLufs);
    const neededDb = this.#targetLufs - this.#expectedLufs(rest, decodedLufs);
    const maxDb = neededDb + MAX_LIMITER_LOSS_LU - TYPICAL_LIMITER_LOSS_LU;
    const before = sum(this.#levelled, 0, from);
    let gainDb = clamp(neededDb, MAX_GAIN_DB);
    for (let iteration = 0; iteration < ITERATIONS; iteration++) {
      this.#limit(from, decibelsToFactor(gainDb), 0);
      this.#expectRest(this.#levelled, rest * decibelsToFactor(gainDb - TYPICAL_LIMITER_LOSS_LU) ** 2);
      const reached = 1 - before / sum(this.#levelled, 0, this.#levelled.length);
      const lufs = integratedLoudness(this.#levelled, this.#blocks) + TYPICAL_LIMITER_LOSS_LU;
      const missingDb = (this.#targetLufs - lufs) / Math.max(REACHED_SHARE_MIN, reached);
      gainDb = clamp(Math.min(maxDb, gainDb + missingDb), MAX_GAIN_DB);
      if (Math.abs(missingDb) < PRECISION_DB) break;
    }
    return gainDb;
  }

  /** The factor from the predicted power to that of the steps that are not decoded yet. */
  #expectedRest(decodedLufs: number): number {
    const seconds = this.#count * this.#stepSeconds;
    const weight = seconds / (seconds + HALF_WEIGHT_SECONDS);
    const byDecoded = decodedLufs - integratedLoudness(this.#predicted, this.#blocks, this.#count);
    const byVoice = this.#targetLufs - integratedLoudness(this.#predicted, this.#blocks);
    // Bounded, since the first window of an utterance may be almost silent.
    return 10 ** ((byVoice + weight * clamp(byDecoded - byVoice, MAX_GAIN_DB)) / 10);
  }

  /** The loudness of the complete utterance without gain. */
  #expectedLufs(rest: number, decodedLufs: number): number {
    if (this.#count === this.#predicted.length) return decodedLufs;
    this.#expectRest(this.#decoded.powers, rest);
    return integratedLoudness(this.#decoded.powers, this.#blocks);
  }

  /** Writes the expected power of the steps that are not decoded yet. */
  #expectRest(powers: Float64Array, factor: number): void {
    for (let step = this.#count; step < powers.length; step++) powers[step] = this.#predicted[step]! * factor;
  }
}

/** Levels windows as they are decoded. */
export async function* levelWindows(
  windows: AsyncIterable<Float32Array>,
  leveller: UtteranceLeveller | undefined,
): AsyncGenerator<Float32Array> {
  for await (const samples of windows) {
    leveller?.process(samples);
    yield samples;
  }
}

function resize(values: Float64Array, length: number): Float64Array {
  const resized = new Float64Array(length);
  resized.set(values.subarray(0, length));
  return resized;
}

function sum(values: Float64Array, from: number, to: number): number {
  let total = 0;
  for (let index = from; index < to; index++) total += values[index]!;
  return total;
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}
