import { trackPitch } from '../../../audio/dsp/pitch-track.ts';
import type { AudioStage } from './audio-stage.ts';

/** How the pitch of an utterance changes. */
export interface PitchPlan {
  readonly sampleRateHz: number;
  /** Number of samples of the utterance. */
  readonly length: number;
  /** Factor for the pitch `hz` that was measured at this sample. */
  readonly factorAt: (sample: number, hz: number) => number;
}

const HOP_SECONDS = 0.01;
/** Context of the pitch tracker on either side. */
const CONTEXT_HOPS = 4;
/** A coarse rate suffices: the exact period is then found by correlation at the full rate. */
const ANALYSIS_RATE_HZ = 4000;
/** Grain length in unvoiced speech. */
const UNVOICED_SECONDS = 0.005;
/** Search range for the next period, as a share of the measured one. */
const PERIOD_TOLERANCE = 0.15;
/** The correlation uses every third sample. */
const CORRELATION_STEP = 3;
/** Lower limit of the window sum used for normalisation, where grains are far apart. */
const WEIGHT_MIN = 0.4;
/** Grains at a higher pitch partly cancel; this power of the factor restores the level (measured). */
const OVERLAP_GAIN_POWER = 1.5;

/** Half of a Hann window: 1 at the centre of a grain, 0 at its ends. */
const FADE = Float32Array.from({ length: 513 }, (_, index) => 0.5 + 0.5 * Math.cos((Math.PI * index) / 512));

/**
 * Changes the pitch contour of synthesized speech by pitch-synchronous overlap-add (PSOLA). Duration, formants and
 * unvoiced consonants are preserved. A factor of 1 reproduces the input.
 */
export class PitchShifter implements AudioStage {
  readonly #plan: PitchPlan;
  readonly #rateHz: number;
  readonly #hop: number;
  readonly #input: Float32Array;
  readonly #sum: Float32Array;
  readonly #weight: Float32Array;
  #inputEnd = 0;
  #outputEnd = 0;
  readonly #pitchHz: number[] = [];
  /** Output position of the next grain, and input position of the last pitch mark. */
  #next = 0;
  #mark = 0;
  #wasVoiced = false;

  constructor(plan: PitchPlan) {
    const { sampleRateHz, length } = plan;
    this.#plan = plan;
    this.#rateHz = sampleRateHz;
    this.#hop = Math.round(HOP_SECONDS * sampleRateHz);
    this.#input = new Float32Array(length);
    this.#sum = new Float32Array(length);
    this.#weight = new Float32Array(length);
  }

  push(samples: Float32Array): Float32Array {
    const count = Math.min(samples.length, this.#input.length - this.#inputEnd);
    this.#input.set(samples.subarray(0, count), this.#inputEnd);
    this.#inputEnd += count;
    const hops = Math.floor(this.#inputEnd / this.#hop) - CONTEXT_HOPS;
    this.#trackPitch(hops);
    this.#addGrains(hops * this.#hop);
    return this.#take(this.#next - this.#longestPeriod());
  }

  flush(): Float32Array {
    this.#trackPitch(Math.ceil(this.#inputEnd / this.#hop));
    this.#addGrains(this.#inputEnd);
    return this.#take(this.#inputEnd);
  }

  /** Measures the pitch up to this hop. */
  #trackPitch(hops: number): void {
    const first = this.#pitchHz.length;
    if (hops <= first) return;
    const from = Math.max(0, first - 2 * CONTEXT_HOPS);
    const recent = this.#input.subarray(from * this.#hop, this.#inputEnd);
    const hopSeconds = this.#hop / this.#rateHz;
    const track = trackPitch(recent, this.#rateHz, { hopSeconds, analysisRateHz: ANALYSIS_RATE_HZ });
    for (let hop = first; hop < hops; hop++) this.#pitchHz.push(track.pitchHz[hop - from] ?? 0);
  }

  #addGrains(end: number): void {
    if (this.#next >= end) return;
    while (this.#next < end) {
      const hz = this.#pitchHz[Math.floor(this.#next / this.#hop)] ?? 0;
      if (hz > 0) this.#addPeriod(hz);
      else this.#addUnvoiced();
    }
  }

  #addUnvoiced(): void {
    const reach = Math.round(UNVOICED_SECONDS * this.#rateHz);
    this.#wasVoiced = false;
    this.#overlapAdd(this.#next, this.#next, reach, 1);
    this.#next += reach;
  }

  #addPeriod(hz: number): void {
    const period = this.#rateHz / hz;
    if (!this.#wasVoiced) this.#mark = this.#next;
    // Advance the pitch mark by periods until it is the nearest one to the output position.
    while (this.#wasVoiced && this.#mark + period / 2 < this.#next) {
      this.#mark = this.#nextMark(this.#mark, period);
    }
    this.#wasVoiced = true;
    const factor = this.#plan.factorAt(this.#next, hz);
    this.#overlapAdd(this.#mark, this.#next, Math.round(period), Math.max(1, factor) ** OVERLAP_GAIN_POWER);
    this.#next += Math.max(1, Math.round(period / factor));
  }

  /** The position about one period later with the highest correlation. */
  #nextMark(mark: number, period: number): number {
    const reach = Math.round(period / 2);
    const slack = Math.max(1, Math.round(period * PERIOD_TOLERANCE));
    const guess = mark + Math.round(period);
    let best = guess;
    let bestCorrelation = Number.NEGATIVE_INFINITY;
    for (let place = guess - slack; place <= guess + slack; place++) {
      const correlation = this.#correlation(mark, place, reach);
      if (correlation > bestCorrelation) [best, bestCorrelation] = [place, correlation];
    }
    return best;
  }

  #correlation(first: number, second: number, reach: number): number {
    const from = -Math.min(reach, first, second);
    const to = Math.min(reach, this.#input.length - Math.max(first, second));
    let product = 0;
    for (let offset = from; offset < to; offset += CORRELATION_STEP) {
      product += this.#input[first + offset]! * this.#input[second + offset]!;
    }
    return product;
  }

  /** Adds the windowed samples around input position `from` at output position `to`. */
  #overlapAdd(from: number, to: number, reach: number, gain: number): void {
    const end = Math.min(reach, this.#sum.length - to);
    for (let offset = Math.max(1 - reach, -to); offset < end; offset++) {
      const target = to + offset;
      const weight = FADE[Math.round((Math.abs(offset) * (FADE.length - 1)) / reach)]!;
      this.#sum[target]! += weight * gain * (this.#input[from + offset] ?? 0);
      this.#weight[target]! += weight;
    }
  }

  #take(end: number): Float32Array {
    const from = this.#outputEnd;
    const to = Math.max(from, Math.min(end, this.#inputEnd));
    this.#outputEnd = to;
    const out = new Float32Array(to - from);
    for (let at = from; at < to; at++) {
      out[at - from] = this.#sum[at]! / Math.max(WEIGHT_MIN, this.#weight[at]!);
    }
    return out;
  }

  /** Upper limit of how far a later grain extends back. */
  #longestPeriod(): number {
    return Math.ceil(this.#rateHz / 55) + 1;
  }
}
