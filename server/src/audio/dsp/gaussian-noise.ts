/** The increment of splitmix32: the golden ratio in 32 bits. */
const SPLITMIX_INCREMENT = 0x9e3779b9;

/**
 * White Gaussian noise (mean 0, standard deviation 1), equal on every machine for equal seeds: the random bits come from
 * integer arithmetic (xoshiro128**, seeded by splitmix32).
 */
export class GaussianNoise {
  readonly #state = new Uint32Array(4);
  #spare: number | undefined;

  /** Any safe integer is a valid seed; fractions are truncated. */
  constructor(seed: number) {
    if (!Number.isFinite(seed)) throw new RangeError(`A seed must be finite: ${seed}.`);
    const integer = Math.trunc(seed);
    const low = integer >>> 0;
    const high = Math.floor(integer / 2 ** 32) >>> 0;
    let word = low ^ Math.imul(high, 0x85ebca6b);
    for (let index = 0; index < this.#state.length; index++) {
      word = (word + SPLITMIX_INCREMENT) >>> 0;
      this.#state[index] = mixBits(word ^ (index === 0 ? high : 0));
    }
  }

  /** Fills the array with the next values of the sequence. */
  fill(values: Float32Array): void {
    for (let index = 0; index < values.length; index++) values[index] = this.next();
  }

  /** The next value of the sequence, by Marsaglia's polar method, which generates pairs. */
  next(): number {
    if (this.#spare !== undefined) {
      const spare = this.#spare;
      this.#spare = undefined;
      return spare;
    }
    for (;;) {
      const x = 2 * this.#uniform() - 1;
      const y = 2 * this.#uniform() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      this.#spare = y * factor;
      return x * factor;
    }
  }

  /** 32 random bits as a fraction in [0, 1). */
  #uniform(): number {
    const state = this.#state;
    const result = Math.imul(rotateLeft(Math.imul(state[1]!, 5), 7), 9) >>> 0;
    const shifted = state[1]! << 9;
    state[2]! ^= state[0]!;
    state[3]! ^= state[1]!;
    state[1]! ^= state[2]!;
    state[0]! ^= state[3]!;
    state[2]! ^= shifted;
    state[3] = rotateLeft(state[3]!, 11);
    return result / 2 ** 32;
  }
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function mixBits(word: number): number {
  let mixed = word;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
