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
    const factors = this.#factors;
    let span = 1;
    for (let stage = 0; stage < factors.length; ) {
      const radix = factors[stage]!;
      const isDouble = radix === 2 && factors[stage + 1] === 2;
      if (isDouble) this.#combineFours(real, imaginary, span);
      else if (radix === 2) this.#combinePairs(real, imaginary, span);
      else this.#combine(real, imaginary, span, radix);
      span *= isDouble ? 4 : radix;
      stage += isDouble ? 2 : 1;
    }
  }

  // The loops below read their tables from constants: a private field would be read again at every step.

  #reorder(values: Float64Array): void {
    const scratch = this.#scratch;
    const order = this.#inputOrder;
    const { size } = this;
    scratch.set(values);
    for (let i = 0; i < size; i++) values[i] = scratch[order[i]!]!;
  }

  /** The radix-2 butterflies of a stage. */
  #combinePairs(real: Float64Array, imaginary: Float64Array, span: number): void {
    const { size } = this;
    const cosines = this.#cosines;
    const sines = this.#sines;
    const twiddleStep = size / (2 * span);
    for (let k = 0; k < span; k++) {
      const cosine = cosines[k * twiddleStep]!;
      const sine = sines[k * twiddleStep]!;
      for (let even = k; even < size; even += 2 * span) {
        const odd = even + span;
        const productReal = real[odd]! * cosine - imaginary[odd]! * sine;
        const productImaginary = real[odd]! * sine + imaginary[odd]! * cosine;
        real[odd] = real[even]! - productReal;
        imaginary[odd] = imaginary[even]! - productImaginary;
        real[even] = real[even]! + productReal;
        imaginary[even] = imaginary[even]! + productImaginary;
      }
    }
  }

  /** The radix-2 butterflies of two stages in one pass: the same operations with half of the memory accesses. */
  #combineFours(real: Float64Array, imaginary: Float64Array, span: number): void {
    const { size } = this;
    const cosines = this.#cosines;
    const sines = this.#sines;
    const twiddleStep = size / (4 * span);
    for (let k = 0; k < span; k++) {
      const cosine = cosines[2 * k * twiddleStep]!;
      const sine = sines[2 * k * twiddleStep]!;
      const sumCosine = cosines[k * twiddleStep]!;
      const sumSine = sines[k * twiddleStep]!;
      const differenceCosine = cosines[(k + span) * twiddleStep]!;
      const differenceSine = sines[(k + span) * twiddleStep]!;
      for (let a = k; a < size; a += 4 * span) {
        const b = a + span;
        const c = b + span;
        const d = c + span;
        // The first stage: a with b, and c with d.
        let re = real[b]!;
        let im = imaginary[b]!;
        let productReal = re * cosine - im * sine;
        let productImaginary = re * sine + im * cosine;
        re = real[a]!;
        im = imaginary[a]!;
        const aReal = re + productReal;
        const aImaginary = im + productImaginary;
        const bReal = re - productReal;
        const bImaginary = im - productImaginary;
        re = real[d]!;
        im = imaginary[d]!;
        productReal = re * cosine - im * sine;
        productImaginary = re * sine + im * cosine;
        re = real[c]!;
        im = imaginary[c]!;
        const cReal = re + productReal;
        const cImaginary = im + productImaginary;
        const dReal = re - productReal;
        const dImaginary = im - productImaginary;
        // The second stage: a with c (sums of the first), and b with d (differences).
        productReal = cReal * sumCosine - cImaginary * sumSine;
        productImaginary = cReal * sumSine + cImaginary * sumCosine;
        real[a] = aReal + productReal;
        imaginary[a] = aImaginary + productImaginary;
        real[c] = aReal - productReal;
        imaginary[c] = aImaginary - productImaginary;
        productReal = dReal * differenceCosine - dImaginary * differenceSine;
        productImaginary = dReal * differenceSine + dImaginary * differenceCosine;
        real[b] = bReal + productReal;
        imaginary[b] = bImaginary + productImaginary;
        real[d] = bReal - productReal;
        imaginary[d] = bImaginary - productImaginary;
      }
    }
  }

  /** The butterflies of a stage of any radix. */
  #combine(real: Float64Array, imaginary: Float64Array, span: number, radix: number): void {
    const { size } = this;
    const cosines = this.#cosines;
    const sines = this.#sines;
    const combined = this.#combined;
    const twiddleStep = size / (radix * span);
    for (let start = 0; start < size; start += radix * span) {
      for (let k = 0; k < span; k++) {
        for (let out = 0; out < radix; out++) {
          const step = (k + out * span) * twiddleStep;
          let sumReal = 0;
          let sumImaginary = 0;
          for (let index = 0, at = start + k, angle = 0; index < radix; index++, at += span) {
            const cosine = cosines[angle]!;
            const sine = sines[angle]!;
            sumReal += real[at]! * cosine - imaginary[at]! * sine;
            sumImaginary += real[at]! * sine + imaginary[at]! * cosine;
            angle += step;
            if (angle >= size) angle -= size;
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
