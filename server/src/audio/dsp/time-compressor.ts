/** Half of a grain; a grain must hold a period and a half of a low voice. */
const HOP_SECONDS = 0.012;
/** How far a grain may be moved to fit the one before: half a period of a low voice. */
const SLACK_SECONDS = 0.007;
/** Every other sample says enough about how alike two stretches are. */
const LIKENESS_STRIDE = 2;

/** What is heard of speech that is made faster. */
export interface CompressionPlan {
  readonly sampleRateHz: number;
  /** Samples that are heard. */
  readonly length: number;
  /** The sample of the speech that is heard at this one. It runs ahead, and never back. */
  readonly sourceOf: (heard: number) => number;
}

/** Makes all of the speech so many times faster; `length` are the samples of the speech. */
export function evenCompression(factor: number, length: number, sampleRateHz: number): CompressionPlan {
  if (!(factor >= 1)) throw new RangeError(`Speech cannot be compressed ${factor} times.`);
  return { sampleRateHz, length: Math.round(length / factor), sourceOf: (heard) => heard * factor };
}

/**
 * Makes finished speech faster without moving its pitch: grains are taken from it at a faster pace than they are
 * laid down, each from where it continues the one before best (waveform similarity overlap and add). What stands
 * at a time of the speech is heard when the plan says so, within the slack of a grain.
 */
export class TimeCompressor {
  readonly #plan: CompressionPlan;
  readonly #hop: number;
  readonly #slack: number;
  /** How a grain comes in over the tail of the one before, which goes out the same way backwards. */
  readonly #rise: Float32Array;
  #input = new Float32Array(0);
  /** The sample of the speech that the buffer begins with. */
  #inputStart = 0;
  #grains = 0;
  /** Where the last grain was taken. */
  #last = 0;
  /** The second half of the last grain, which the next one is laid over. */
  #tail: Float32Array;

  constructor(plan: CompressionPlan) {
    const { sampleRateHz } = plan;
    this.#plan = plan;
    this.#hop = Math.round(HOP_SECONDS * sampleRateHz);
    this.#slack = Math.round(SLACK_SECONDS * sampleRateHz);
    this.#tail = new Float32Array(this.#hop);
    this.#rise = Float32Array.from(
      { length: this.#hop },
      (_, index) => 0.5 - 0.5 * Math.cos((Math.PI * (index + 0.5)) / this.#hop),
    );
  }

  /** Takes the next samples and returns those that are ready. */
  push(samples: Float32Array): Float32Array {
    this.#append(samples);
    const ready: Float32Array[] = [];
    while (this.#nextPlace() + this.#slack + 2 * this.#hop <= this.#inputEnd) ready.push(this.#layGrain());
    return this.#join(ready, ready.length * this.#hop);
  }

  /** The rest. Nothing may be pushed afterwards. */
  flush(): Float32Array {
    const length = Math.max(0, this.#plan.length - this.#grains * this.#hop);
    const rest: Float32Array[] = [];
    while (rest.length * this.#hop < length) rest.push(this.#layGrain());
    return this.#join(rest, length);
  }

  get #inputEnd(): number {
    return this.#inputStart + this.#input.length;
  }

  #nextPlace(): number {
    return Math.round(this.#plan.sourceOf(this.#grains * this.#hop));
  }

  /** Lays the next grain over the tail of the last, and returns the samples that are then finished. */
  #layGrain(): Float32Array {
    const isFirst = this.#grains === 0;
    const place = isFirst ? 0 : this.#bestPlace(this.#nextPlace());
    const grain = this.#read(place, 2 * this.#hop);
    const finished = this.#tail;
    const tail = new Float32Array(this.#hop);
    for (let index = 0; index < this.#hop; index++) {
      // The very first grain has nothing before it to fade from.
      finished[index]! += (isFirst ? 1 : this.#rise[index]!) * grain[index]!;
      tail[index] = (1 - this.#rise[index]!) * grain[this.#hop + index]!;
    }
    this.#tail = tail;
    this.#last = place;
    this.#grains++;
    this.#forget(Math.min(place + this.#hop, this.#nextPlace() - this.#slack));
    return finished;
  }

  /** Near this place, where the speech looks most like what would have followed the last grain. */
  #bestPlace(wanted: number): number {
    const natural = this.#read(this.#last + this.#hop, this.#hop);
    const from = Math.max(this.#inputStart, wanted - this.#slack);
    const around = this.#read(from, wanted + this.#slack - from + this.#hop);
    let best = wanted - from;
    // In silence all places are alike, and the wanted one stays.
    let bestLikeness = likeness(around, best, natural);
    for (let place = 0; place + this.#hop <= around.length; place++) {
      const here = likeness(around, place, natural);
      if (here > bestLikeness) [best, bestLikeness] = [place, here];
    }
    return from + best;
  }

  /** Samples of the speech; silence behind its end. */
  #read(from: number, length: number): Float32Array {
    const start = from - this.#inputStart;
    const present = this.#input.subarray(start, start + length);
    if (present.length === length) return present;
    const padded = new Float32Array(length);
    padded.set(present);
    return padded;
  }

  #append(samples: Float32Array): void {
    const joined = new Float32Array(this.#input.length + samples.length);
    joined.set(this.#input);
    joined.set(samples, this.#input.length);
    this.#input = joined;
  }

  #forget(before: number): void {
    const count = Math.max(0, Math.min(this.#input.length, before - this.#inputStart));
    this.#input = this.#input.subarray(count);
    this.#inputStart += count;
  }

  #join(grains: readonly Float32Array[], length: number): Float32Array {
    const joined = new Float32Array(length);
    for (const [index, grain] of grains.entries()) {
      const at = index * this.#hop;
      joined.set(grain.subarray(0, length - at), at);
    }
    return joined;
  }
}

/** How much the samples from a place look like these, whatever their level. */
function likeness(samples: Float32Array, place: number, wanted: Float32Array): number {
  let product = 0;
  let energy = 1e-9;
  for (let index = 0; index < wanted.length; index += LIKENESS_STRIDE) {
    const sample = samples[place + index]!;
    product += sample * wanted[index]!;
    energy += sample * sample;
  }
  return product / Math.sqrt(energy);
}
