/**
 * The discrete Fourier transform of a fixed size, the faster the smaller its prime factors are. Works in place; its
 * tables are made once.
 */
export class Fft {
  readonly size: number;
  readonly #factors: readonly number[];
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  /** Which number each place begins with, so that every stage joins neighbours. */
  readonly #order: Uint32Array;
  readonly #unordered: Float64Array;
  readonly #joined: Float64Array;

  constructor(size: number) {
    if (!Number.isInteger(size) || size < 2)
      throw new RangeError(`Nothing of size ${size} can be transformed.`);
    this.size = size;
    this.#factors = primeFactors(size);
    this.#cosines = Float64Array.from({ length: size }, (_, i) => Math.cos((2 * Math.PI * i) / size));
    this.#sines = Float64Array.from({ length: size }, (_, i) => -Math.sin((2 * Math.PI * i) / size));
    this.#order = Uint32Array.from(orderOf(this.#factors));
    this.#unordered = new Float64Array(size);
    this.#joined = new Float64Array(2 * Math.max(...this.#factors));
  }

  /** Replaces the signal by its spectrum. */
  transform(real: Float64Array, imaginary: Float64Array): void {
    this.#reorder(real);
    this.#reorder(imaginary);
    let part = 1;
    for (const factor of this.#factors) {
      if (factor === 2) this.#joinPairs(real, imaginary, part);
      else this.#join(real, imaginary, part, factor);
      part *= factor;
    }
  }

  #reorder(values: Float64Array): void {
    this.#unordered.set(values);
    for (let i = 0; i < this.size; i++) values[i] = this.#unordered[this.#order[i]!]!;
  }

  /** Joins pairs of transforms. */
  #joinPairs(real: Float64Array, imaginary: Float64Array, part: number): void {
    const turn = this.size / (2 * part);
    for (let start = 0; start < this.size; start += 2 * part) {
      for (let k = 0; k < part; k++) {
        const even = start + k;
        const odd = even + part;
        const cosine = this.#cosines[k * turn]!;
        const sine = this.#sines[k * turn]!;
        const oddReal = real[odd]! * cosine - imaginary[odd]! * sine;
        const oddImaginary = real[odd]! * sine + imaginary[odd]! * cosine;
        real[odd] = real[even]! - oddReal;
        imaginary[odd] = imaginary[even]! - oddImaginary;
        real[even] = real[even]! + oddReal;
        imaginary[even] = imaginary[even]! + oddImaginary;
      }
    }
  }

  /** Joins any number of transforms, `factor` at a time. */
  #join(real: Float64Array, imaginary: Float64Array, part: number, factor: number): void {
    const joined = this.#joined;
    const turn = this.size / (factor * part);
    for (let start = 0; start < this.size; start += factor * part) {
      for (let k = 0; k < part; k++) {
        for (let out = 0; out < factor; out++) {
          const step = (k + out * part) * turn;
          let sumReal = 0;
          let sumImaginary = 0;
          for (let index = 0, at = start + k, angle = 0; index < factor; index++, at += part) {
            const cosine = this.#cosines[angle]!;
            const sine = this.#sines[angle]!;
            sumReal += real[at]! * cosine - imaginary[at]! * sine;
            sumImaginary += real[at]! * sine + imaginary[at]! * cosine;
            angle += step;
            if (angle >= this.size) angle -= this.size;
          }
          joined[2 * out] = sumReal;
          joined[2 * out + 1] = sumImaginary;
        }
        for (let out = 0, at = start + k; out < factor; out++, at += part) {
          real[at] = joined[2 * out]!;
          imaginary[at] = joined[2 * out + 1]!;
        }
      }
    }
  }
}

function primeFactors(size: number): number[] {
  const factors: number[] = [];
  for (let rest = size, factor = 2; rest > 1; ) {
    if (rest % factor === 0) {
      factors.push(factor);
      rest /= factor;
    } else factor++;
  }
  return factors;
}

/** The numbers from 0 on, parted by their remainders: by the last factor first, each part by the one before it. */
function orderOf(factors: readonly number[]): number[] {
  return factors.reduce(
    (order, factor) =>
      Array.from({ length: factor }, (_, remainder) => order.map((n) => factor * n + remainder)).flat(),
    [0],
  );
}
