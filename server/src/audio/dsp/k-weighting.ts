/**
 * The K-weighting filter of ITU-R BS.1770: a shelving filter that models the head, then a high-pass. The standard gives
 * coefficients for 48 kHz only; these are derived from the analogue prototypes and support any sample rate.
 */
export class KWeighting {
  readonly #shelf: Biquad;
  readonly #highPass: Biquad;
  #shelf1 = 0;
  #shelf2 = 0;
  #high1 = 0;
  #high2 = 0;

  constructor(sampleRateHz: number) {
    this.#shelf = designShelf(sampleRateHz);
    this.#highPass = designHighPass(sampleRateHz);
  }

  /** Sets negligible state to 0: arithmetic on denormal numbers is slow. */
  flushDenormals(): void {
    if (Math.abs(this.#shelf1) + Math.abs(this.#shelf2) < 1e-15) this.#shelf1 = this.#shelf2 = 0;
    if (Math.abs(this.#high1) + Math.abs(this.#high2) < 1e-15) this.#high1 = this.#high2 = 0;
  }

  /** Weights samples `from` to `to` and adds the sum of their squares to `energy`. */
  addEnergy(samples: Float32Array, from: number, to: number, energy: number): number {
    const { b0, b1, b2, a1, a2 } = this.#shelf;
    const { b0: c0, b1: c1, b2: c2, a1: d1, a2: d2 } = this.#highPass;
    // The output term of each filter, b0 * input + its first state, is folded into the state update. A sample then depends
    // on two operations of the previous one instead of five; this dependency determines the run time.
    const [in1, in2] = [b1 - a1 * b0, b2 - a2 * b0];
    const [to1, to2] = [c1 - d1 * c0, c2 - d2 * c0];
    let shelf1 = this.#shelf1;
    let shelf2 = this.#shelf2;
    let high1 = this.#high1;
    let high2 = this.#high2;
    let sum = energy;
    for (let i = from; i < to; i++) {
      const input = samples[i] as number;
      const shelved = b0 * input + shelf1;
      const weighted = c0 * shelved + high1;
      const nextShelf1 = in1 * input + shelf2 - a1 * shelf1;
      shelf2 = in2 * input - a2 * shelf1;
      shelf1 = nextShelf1;
      const nextHigh1 = to1 * shelved + high2 - d1 * high1;
      high2 = to2 * shelved - d2 * high1;
      high1 = nextHigh1;
      sum += weighted * weighted;
    }
    this.#shelf1 = shelf1;
    this.#shelf2 = shelf2;
    this.#high1 = high1;
    this.#high2 = high2;
    return sum;
  }
}

interface Biquad {
  readonly b0: number;
  readonly b1: number;
  readonly b2: number;
  readonly a1: number;
  readonly a2: number;
}

function designShelf(sampleRateHz: number): Biquad {
  const gain = 10 ** (3.999843853973347 / 20);
  const midpointGain = gain ** 0.4996667741545416;
  const q = 0.7071752369554196;
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRateHz);
  const a0 = 1 + k / q + k * k;
  return {
    b0: (gain + (midpointGain * k) / q + k * k) / a0,
    b1: (2 * (k * k - gain)) / a0,
    b2: (gain - (midpointGain * k) / q + k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / q + k * k) / a0,
  };
}

function designHighPass(sampleRateHz: number): Biquad {
  const q = 0.5003270373238773;
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRateHz);
  const a0 = 1 + k / q + k * k;
  return { b0: 1, b1: -2, b2: 1, a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 };
}
