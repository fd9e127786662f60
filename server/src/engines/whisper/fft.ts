/** Complex numbers as their two parts. */
export interface ComplexNumbers {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

const NONE: ComplexNumbers = { re: new Float64Array(), im: new Float64Array() };

/** A Fourier transform of one length, which must be a product of small primes. */
export class FourierTransform {
  readonly #length: number;
  readonly #factors: readonly number[];
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #scratch: Float64Array;
  #input: ComplexNumbers = NONE;
  #output: ComplexNumbers = NONE;

  constructor(length: number) {
    this.#length = length;
    this.#factors = primeFactors(length);
    this.#cos = Float64Array.from({ length }, (_, k) => Math.cos((2 * Math.PI * k) / length));
    this.#sin = Float64Array.from({ length }, (_, k) => -Math.sin((2 * Math.PI * k) / length));
    this.#scratch = new Float64Array(2 * Math.max(...this.#factors));
  }

  /** Transforms complex numbers, given and returned as their two parts. */
  transform(input: ComplexNumbers, output: ComplexNumbers): void {
    this.#input = input;
    this.#output = output;
    this.#step(0, 1, 0, 0);
  }

  /** Decimation in time: transforms of every n-th number, then each of their outputs combined. */
  #step(from: number, stride: number, to: number, depth: number): void {
    const length = this.#length / stride;
    if (length === 1) {
      this.#output.re[to] = this.#input.re[from]!;
      this.#output.im[to] = this.#input.im[from]!;
      return;
    }
    const factor = this.#factors[depth]!;
    const part = length / factor;
    for (let index = 0; index < factor; index++) {
      this.#step(from + index * stride, stride * factor, to + index * part, depth + 1);
    }
    this.#combine(to, part, factor);
  }

  #combine(to: number, part: number, factor: number): void {
    const { re, im } = this.#output;
    const scratch = this.#scratch;
    const turn = this.#length / (part * factor);
    for (let k = 0; k < part; k++) {
      for (let out = 0; out < factor; out++) {
        let sumRe = 0;
        let sumIm = 0;
        for (let index = 0; index < factor; index++) {
          const at = to + index * part + k;
          const angle = (index * (k + out * part) * turn) % this.#length;
          const cos = this.#cos[angle]!;
          const sin = this.#sin[angle]!;
          sumRe += re[at]! * cos - im[at]! * sin;
          sumIm += re[at]! * sin + im[at]! * cos;
        }
        scratch[2 * out] = sumRe;
        scratch[2 * out + 1] = sumIm;
      }
      for (let out = 0; out < factor; out++) {
        re[to + out * part + k] = scratch[2 * out]!;
        im[to + out * part + k] = scratch[2 * out + 1]!;
      }
    }
  }
}

function primeFactors(length: number): number[] {
  const factors: number[] = [];
  for (let rest = length, factor = 2; rest > 1; ) {
    if (rest % factor === 0) {
      factors.push(factor);
      rest /= factor;
    } else factor++;
  }
  return factors;
}
