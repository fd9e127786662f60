/**
 * A mixed-radix fast Fourier transform of a fixed size, in place. Faster for smaller prime factors of the size. The tables
 * are computed once.
 */
export class Fft {
  readonly size: number;
  readonly #factors: readonly number[];
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  /** The input index of each position (digit reversal), so that every stage combines neighbours. */
  readonly #inputOrder: Uint32Array;
  readonly #scratch: Float64Array;
  readonly #combined: Float64Array;

  constructor(size: number) {
    if (!Number.isInteger(size) || size < 2) throw new RangeError(`Invalid FFT size: ${size}.`);
    this.size = size;
    this.#factors = primeFactors(size);
    this.#cosines = Float64Array.from({ length: size }, (_, i) => Math.cos((2 * Math.PI * i) / size));
    this.#sines = Float64Array.from({ length: size }, (_, i) => -Math.sin((2 * Math.PI * i) / size));
    this.#inputOrder = Uint32Array.from(digitReversedOrder(this.#factors));
    this.#scratch = new Float64Array(size);
    this.#combined = new Float64Array(2 * Math.max(...this.#factors));
  }

  /** Replaces the signal by its spectrum. */
  transform(real: Float64Array, imaginary: Float64Array): void {
    this.#reorder(real);
    this.#reorder(imaginary);
    let span = 1;
    for (const radix of this.#factors) {
      if (radix === 2) this.#combinePairs(real, imaginary, span);
      else this.#combine(real, imaginary, span, radix);
      span *= radix;
    }
  }

  #reorder(values: Float64Array): void {
    this.#scratch.set(values);
    for (let i = 0; i < this.size; i++) values[i] = this.#scratch[this.#inputOrder[i]!]!;
  }

  /** The radix-2 butterflies of a stage. */
  #combinePairs(real: Float64Array, imaginary: Float64Array, span: number): void {
    const twiddleStep = this.size / (2 * span);
    for (let start = 0; start < this.size; start += 2 * span) {
      for (let k = 0; k < span; k++) {
        const even = start + k;
        const odd = even + span;
        const cosine = this.#cosines[k * twiddleStep]!;
        const sine = this.#sines[k * twiddleStep]!;
        const oddReal = real[odd]! * cosine - imaginary[odd]! * sine;
        const oddImaginary = real[odd]! * sine + imaginary[odd]! * cosine;
        real[odd] = real[even]! - oddReal;
        imaginary[odd] = imaginary[even]! - oddImaginary;
        real[even] = real[even]! + oddReal;
        imaginary[even] = imaginary[even]! + oddImaginary;
      }
    }
  }

  /** The butterflies of a stage of any radix. */
  #combine(real: Float64Array, imaginary: Float64Array, span: number, radix: number): void {
    const combined = this.#combined;
    const twiddleStep = this.size / (radix * span);
    for (let start = 0; start < this.size; start += radix * span) {
      for (let k = 0; k < span; k++) {
        for (let out = 0; out < radix; out++) {
          const step = (k + out * span) * twiddleStep;
          let sumReal = 0;
          let sumImaginary = 0;
          for (let index = 0, at = start + k, angle = 0; index < radix; index++, at += span) {
            const cosine = this.#cosines[angle]!;
            const sine = this.#sines[angle]!;
            sumReal += real[at]! * cosine - imaginary[at]! * sine;
            sumImaginary += real[at]! * sine + imaginary[at]! * cosine;
            angle += step;
            if (angle >= this.size) angle -= this.size;
          }
          combined[2 * out] = sumReal;
          combined[2 * out + 1] = sumImaginary;
        }
        for (let out = 0, at = start + k; out < radix; out++, at += span) {
          real[at] = combined[2 * out]!;
          imaginary[at] = combined[2 * out + 1]!;
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

/** The indices from 0 on, ordered by their digits in the mixed radix, least significant digit first. */
function digitReversedOrder(factors: readonly number[]): number[] {
  return factors.reduce(
    (order, radix) =>
      Array.from({ length: radix }, (_, remainder) => order.map((n) => radix * n + remainder)).flat(),
    [0],
  );
}
