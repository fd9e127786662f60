import { filterBank, type PolyphaseFilter } from './resampler-filter.ts';

export interface ResamplerOptions {
  readonly fromHz: number;
  readonly toHz: number;
  /** Whether the next call may overwrite the returned array, which saves an allocation per call. */
  readonly reusesOutput?: boolean;
}

/**
 * Changes the sample rate of a stream. Linear phase with compensated delay: the first output sample is at the time of the
 * first input sample, and the total length is that of the input times the ratio, rounded. The output does not depend on
 * how the input is divided into calls.
 */
export class Resampler {
  readonly #filter: PolyphaseFilter | undefined;
  /** Input that the next outputs need. Starts with zeros for the left half of the first filter. */
  #history: Float32Array;
  /** The index in the history of the first tap of the next output, and its phase between two input samples. */
  #tapStart = 0;
  #phase = 0;
  #inputTotal = 0;
  #outputTotal = 0;
  readonly #reusesOutput: boolean;
  #output = new Float32Array(0);

  constructor({ fromHz, toHz, reusesOutput = false }: ResamplerOptions) {
    this.#reusesOutput = reusesOutput;
    this.#filter = fromHz === toHz ? undefined : filterBank(fromHz, toHz);
    this.#history = new Float32Array(this.#filter === undefined ? 0 : this.#filter.taps / 2 - 1);
  }

  /** Takes the next samples and returns the output that can be computed. */
  process(samples: Float32Array): Float32Array {
    const filter = this.#filter;
    if (filter === undefined) return samples;
    this.#inputTotal += samples.length;
    const { up, down, taps } = filter;
    const computable = Math.max(0, Math.ceil(((this.#inputTotal - taps / 2) * up) / down));
    return this.#run(filter, samples, computable);
  }

  /** Returns the remaining output. Ends the stream. */
  flush(): Float32Array {
    const filter = this.#filter;
    if (filter === undefined) return new Float32Array(0);
    const { up, down, taps } = filter;
    const total = Math.round((this.#inputTotal * up) / down);
    return this.#run(filter, new Float32Array(taps / 2 + Math.ceil(down / up)), total);
  }

  /** Filters until the total output is `outputTotal` samples. */
  #run(filter: PolyphaseFilter, samples: Float32Array, outputTotal: number): Float32Array {
    const { kernel } = filter;
    const output = this.#outputFor(outputTotal - this.#outputTotal);
    let written = 0;
    for (let offset = 0; offset < samples.length; ) {
      const held = this.#history.length;
      const count = Math.min(samples.length - offset, kernel.input.length - held);
      kernel.input.set(this.#history);
      kernel.input.set(samples.subarray(offset, offset + count), held);
      offset += count;
      const produced = kernel.run(this.#tapStart, this.#phase, held + count);
      // The zeros of `flush` may give more samples than the stream has.
      output.set(kernel.output.subarray(0, Math.min(produced, output.length - written)), written);
      written += produced;
      this.#advance(filter, produced);
      const used = Math.min(this.#tapStart, held + count);
      this.#history = kernel.input.slice(used, held + count);
      this.#tapStart -= used;
    }
    this.#outputTotal = outputTotal;
    return output;
  }

  #outputFor(length: number): Float32Array {
    if (!this.#reusesOutput) return new Float32Array(length);
    if (this.#output.length < length) this.#output = new Float32Array(length);
    return this.#output.subarray(0, length);
  }

  #advance({ up, down }: PolyphaseFilter, outputs: number): void {
    const phases = this.#phase + outputs * down;
    this.#tapStart += Math.floor(phases / up);
    this.#phase = phases % up;
  }
}
