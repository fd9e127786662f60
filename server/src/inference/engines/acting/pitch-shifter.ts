import { trackPitch } from '../../../audio/dsp/pitch-track.ts';
import type { VoiceStage } from './voice-stage.ts';

/** What is to be done with the pitch of speech. */
export interface PitchPlan {
  readonly sampleRateHz: number;
  /** Samples of the whole. */
  readonly length: number;
  /** By how much to multiply a pitch that is heard at this sample. */
  readonly factorAt: (sample: number, hz: number) => number;
}

const HOP_SECONDS = 0.01;
/** What the pitch is judged from reaches this far to either side. */
const CONTEXT_HOPS = 4;
/** Coarse is enough to know about where the next period is; the speech itself tells its place. */
const ANALYSIS_RATE_HZ = 4000;
/** Grains of what is not voiced. */
const UNVOICED_SECONDS = 0.005;
/** How far a period may differ from the one measured, when its place is sought. */
const PERIOD_SLACK = 0.15;
/** Where a period looks alike is told by every so many samples. */
const LIKENESS_STEP = 3;
/** Where grains lie far apart their sum is not raised beyond this. */
const WEIGHT_MIN = 0.4;
/** Periods that lie closer take from each other; this power of the factor gives it back, as measured. */
const CLOSER_GAIN = 1.5;

/** From 1 in the middle of a grain to 0 at its ends. */
const FADE = Float32Array.from({ length: 513 }, (_, index) => 0.5 + 0.5 * Math.cos((Math.PI * index) / 512));

/**
 * Moves and stretches the melody of finished speech and keeps its length, its mouth and its consonants: single
 * periods of the voice are cut out and laid down again closer together or further apart (pitch-synchronous
 * overlap and add). With a factor of 1 the samples come out as they went in.
 */
export class PitchShifter implements VoiceStage {
  readonly #plan: PitchPlan;
  readonly #rateHz: number;
  readonly #hop: number;
  readonly #input: Float32Array;
  readonly #sum: Float32Array;
  readonly #weight: Float32Array;
  #inputEnd = 0;
  #outputEnd = 0;
  readonly #pitchHz: number[] = [];
  /** Where the next grain is laid down, and the last place a period was cut out. */
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
    const room = Math.min(samples.length, this.#input.length - this.#inputEnd);
    this.#input.set(samples.subarray(0, room), this.#inputEnd);
    this.#inputEnd += room;
    const hops = Math.floor(this.#inputEnd / this.#hop) - CONTEXT_HOPS;
    this.#listen(hops);
    this.#layGrains(hops * this.#hop);
    return this.#take(this.#next - this.#longestPeriod());
  }

  flush(): Float32Array {
    this.#listen(Math.ceil(this.#inputEnd / this.#hop));
    this.#layGrains(this.#inputEnd);
    return this.#take(this.#inputEnd);
  }

  /** Measures the pitch of the hops up to this one. */
  #listen(hops: number): void {
    const first = this.#pitchHz.length;
    if (hops <= first) return;
    const from = Math.max(0, first - 2 * CONTEXT_HOPS);
    const heard = this.#input.subarray(from * this.#hop, this.#inputEnd);
    const hopSeconds = this.#hop / this.#rateHz;
    const track = trackPitch(heard, this.#rateHz, { hopSeconds, analysisRateHz: ANALYSIS_RATE_HZ });
    for (let hop = first; hop < hops; hop++) this.#pitchHz.push(track.pitchHz[hop - from] ?? 0);
  }

  #layGrains(end: number): void {
    if (this.#next >= end) return;
    while (this.#next < end) {
      const hz = this.#pitchHz[Math.floor(this.#next / this.#hop)] ?? 0;
      if (hz > 0) this.#layPeriod(hz);
      else this.#layUnvoiced();
    }
  }

  #layUnvoiced(): void {
    const reach = Math.round(UNVOICED_SECONDS * this.#rateHz);
    this.#wasVoiced = false;
    this.#lay(this.#next, this.#next, reach, 1);
    this.#next += reach;
  }

  #layPeriod(hz: number): void {
    const period = this.#rateHz / hz;
    if (!this.#wasVoiced) this.#mark = this.#next;
    // Marks walk on from period to period until the nearest one to this place is reached.
    while (this.#wasVoiced && this.#mark + period / 2 < this.#next) {
      this.#mark = this.#nextMark(this.#mark, period);
    }
    this.#wasVoiced = true;
    const factor = this.#plan.factorAt(this.#next, hz);
    this.#lay(this.#mark, this.#next, Math.round(period), Math.max(1, factor) ** CLOSER_GAIN);
    this.#next += Math.max(1, Math.round(period / factor));
  }

  /** The place about a period later that looks most like this one. */
  #nextMark(mark: number, period: number): number {
    const reach = Math.round(period / 2);
    const slack = Math.max(1, Math.round(period * PERIOD_SLACK));
    const guess = mark + Math.round(period);
    let best = guess;
    let bestLikeness = Number.NEGATIVE_INFINITY;
    for (let place = guess - slack; place <= guess + slack; place++) {
      const likeness = this.#likeness(mark, place, reach);
      if (likeness > bestLikeness) [best, bestLikeness] = [place, likeness];
    }
    return best;
  }

  #likeness(first: number, second: number, reach: number): number {
    const from = -Math.min(reach, first, second);
    const to = Math.min(reach, this.#input.length - Math.max(first, second));
    let product = 0;
    for (let offset = from; offset < to; offset += LIKENESS_STEP) {
      product += this.#input[first + offset]! * this.#input[second + offset]!;
    }
    return product;
  }

  /** Adds the samples around `from` at `to`, faded to both sides. */
  #lay(from: number, to: number, reach: number, gain: number): void {
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

  /** No grain that is yet to come reaches back further than this. */
  #longestPeriod(): number {
    return Math.ceil(this.#rateHz / 55) + 1;
  }
}
