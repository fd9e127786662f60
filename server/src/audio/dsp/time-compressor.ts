/** Half of a grain; a grain contains at least one and a half pitch periods of a low voice. */
const HOP_SECONDS = 0.012;
/** Maximum shift of a grain for the best overlap: half a pitch period of a low voice. */
const MAX_SHIFT_SECONDS = 0.007;
/** Every other sample suffices for the similarity of two segments. */
const SIMILARITY_STRIDE = 2;

/** The mapping of compressed speech to its source. */
export interface CompressionPlan {
  readonly sampleRateHz: number;
  /** Output samples. */
  readonly length: number;
  /** The source sample of an output sample. Monotonic, and never before it. */
  readonly sourceOf: (output: number) => number;
}

/** Compresses all speech by a factor; `length` is the number of source samples. */
export function uniformCompression(factor: number, length: number, sampleRateHz: number): CompressionPlan {
  if (!(factor >= 1)) throw new RangeError(`Invalid compression factor: ${factor}.`);
  return { sampleRateHz, length: Math.round(length / factor), sourceOf: (output) => output * factor };
}

/**
 * Compresses speech in time without changing its pitch, by waveform similarity overlap-add (WSOLA): the output is a
 * sequence of overlapping grains, each taken near the position of the plan, where it continues the previous one best. Times
 * follow the plan within the maximum shift of a grain.
 */
export class TimeCompressor {
  readonly #plan: CompressionPlan;
  readonly #hop: number;
  readonly #maxShift: number;
  /** The fade-in of a grain; the tail of the previous one fades out with its complement. */
  readonly #fadeIn: Float32Array;
  #input = new Float32Array(0);
  /** The source sample at the start of the buffer. */
  #inputStart = 0;
  #grains = 0;
  /** The source position of the last grain. */
  #lastPosition = 0;
  /** The second half of the last grain, which the next one overlaps. */
  #tail: Float32Array;

  constructor(plan: CompressionPlan) {
    const { sampleRateHz } = plan;
    this.#plan = plan;
    this.#hop = Math.round(HOP_SECONDS * sampleRateHz);
    this.#maxShift = Math.round(MAX_SHIFT_SECONDS * sampleRateHz);
    this.#tail = new Float32Array(this.#hop);
    this.#fadeIn = Float32Array.from(
      { length: this.#hop },
      (_, index) => 0.5 - 0.5 * Math.cos((Math.PI * (index + 0.5)) / this.#hop),
    );
  }

  /** Takes the next samples and returns those that are final. */
  push(samples: Float32Array): Float32Array {
    this.#append(samples);
    const ready: Float32Array[] = [];
    while (this.#nextPosition() + this.#maxShift + 2 * this.#hop <= this.#inputEnd)
      ready.push(this.#addGrain());
    return this.#join(ready, ready.length * this.#hop);
  }

  /** Returns the remaining samples. Ends the stream. */
  flush(): Float32Array {
    const length = Math.max(0, this.#plan.length - this.#grains * this.#hop);
    const rest: Float32Array[] = [];
    while (rest.length * this.#hop < length) rest.push(this.#addGrain());
    return this.#join(rest, length);
  }

  get #inputEnd(): number {
    return this.#inputStart + this.#input.length;
  }

  #nextPosition(): number {
    return Math.round(this.#plan.sourceOf(this.#grains * this.#hop));
  }

  /** Adds the next grain to the tail of the last one and returns the samples that are then final. */
  #addGrain(): Float32Array {
    const isFirst = this.#grains === 0;
    const position = isFirst ? 0 : this.#bestPosition(this.#nextPosition());
    const grain = this.#read(position, 2 * this.#hop);
    const finished = this.#tail;
    const tail = new Float32Array(this.#hop);
    for (let index = 0; index < this.#hop; index++) {
      // The first grain has no predecessor and no fade-in.
      finished[index]! += (isFirst ? 1 : this.#fadeIn[index]!) * grain[index]!;
      tail[index] = (1 - this.#fadeIn[index]!) * grain[this.#hop + index]!;
    }
    this.#tail = tail;
    this.#lastPosition = position;
    this.#grains++;
    this.#dropBefore(Math.min(position + this.#hop, this.#nextPosition() - this.#maxShift));
    return finished;
  }

  /** The position near `wanted` whose audio is most similar to the natural continuation of the last grain. */
  #bestPosition(wanted: number): number {
    const natural = this.#read(this.#lastPosition + this.#hop, this.#hop);
    const from = Math.max(this.#inputStart, wanted - this.#maxShift);
    const around = this.#read(from, wanted + this.#maxShift - from + this.#hop);
    let best = wanted - from;
    // In silence all positions are equal, and the wanted one is used.
    let bestSimilarity = similarity(around, best, natural);
    for (let position = 0; position + this.#hop <= around.length; position++) {
      const here = similarity(around, position, natural);
      if (here > bestSimilarity) [best, bestSimilarity] = [position, here];
    }
    return from + best;
  }

  /** Source samples, with silence after the end. */
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

  #dropBefore(before: number): void {
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

/** The correlation of the samples at a position with `wanted`, normalised by their level. */
function similarity(samples: Float32Array, position: number, wanted: Float32Array): number {
  let product = 0;
  let energy = 1e-9;
  for (let index = 0; index < wanted.length; index += SIMILARITY_STRIDE) {
    const sample = samples[position + index]!;
    product += sample * wanted[index]!;
    energy += sample * sample;
  }
  return product / Math.sqrt(energy);
}
