/** The discrete Fourier transform of a fixed size, a power of two. Works in place; its tables are made once. */
export class Fft {
  readonly size: number;
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  readonly #reversed: Uint32Array;

  constructor(size: number) {
    if (size < 2 || (size & (size - 1)) !== 0) throw new RangeError(`${size} is not a power of two.`);
    this.size = size;
    this.#cosines = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size));
    this.#sines = Float64Array.from({ length: size / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / size));
    this.#reversed = new Uint32Array(size);
    for (let i = 1; i < size; i++) {
      this.#reversed[i] = ((this.#reversed[i >> 1] as number) >> 1) | (i & 1 ? size >> 1 : 0);
    }
  }

  /** Replaces the signal by its spectrum. */
  transform(real: Float64Array, imaginary: Float64Array): void {
    this.#reorder(real);
    this.#reorder(imaginary);
    for (let width = 2; width <= this.size; width *= 2) this.#combine(real, imaginary, width);
  }

  #reorder(values: Float64Array): void {
    for (let i = 0; i < this.size; i++) {
      const j = this.#reversed[i] as number;
      if (j <= i) continue;
      const value = values[i] as number;
      values[i] = values[j] as number;
      values[j] = value;
    }
  }

  /** Joins pairs of transforms of half the width. */
  #combine(real: Float64Array, imaginary: Float64Array, width: number): void {
    const half = width / 2;
    const step = this.size / width;
    for (let start = 0; start < this.size; start += width) {
      for (let k = 0; k < half; k++) {
        const even = start + k;
        const odd = even + half;
        const cosine = this.#cosines[k * step] as number;
        const sine = this.#sines[k * step] as number;
        const oddReal = (real[odd] as number) * cosine - (imaginary[odd] as number) * sine;
        const oddImaginary = (real[odd] as number) * sine + (imaginary[odd] as number) * cosine;
        real[odd] = (real[even] as number) - oddReal;
        imaginary[odd] = (imaginary[even] as number) - oddImaginary;
        real[even] = (real[even] as number) + oddReal;
        imaginary[even] = (imaginary[even] as number) + oddImaginary;
      }
    }
  }
}
