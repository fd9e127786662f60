/**
 * The K-weighting filter of ITU-R BS.1770: a shelf that stands for the head, then a high-pass. The
 * standard gives coefficients for 48 kHz only; these are the analogue filters behind them, so that any
 * rate can be weighted.
 */
export class KWeighting {
  readonly #shelf: Biquad;
  readonly #highPass: Biquad;
  #shelf1 = 0;
  #shelf2 = 0;
  #high1 = 0;
  #high2 = 0;

  constructor(sampleRateHz: number) {
    this.#shelf = headShelf(sampleRateHz);
    this.#highPass = lowCut(sampleRateHz);
  }

  /** Forgets what is too little to matter; numbers near the smallest possible are slow to compute with. */
  settle(): void {
    if (Math.abs(this.#shelf1) + Math.abs(this.#shelf2) < 1e-15) this.#shelf1 = this.#shelf2 = 0;
    if (Math.abs(this.#high1) + Math.abs(this.#high2) < 1e-15) this.#high1 = this.#high2 = 0;
  }

  /** Weights samples `from` to `to` and adds the sum of their squares to `energy`. */
  addEnergy(samples: Float32Array, from: number, to: number, energy: number): number {
    const { b0, b1, b2, a1, a2 } = this.#shelf;
    const { b0: c0, b1: c1, b2: c2, a1: d1, a2: d2 } = this.#highPass;
    let shelf1 = this.#shelf1;
    let shelf2 = this.#shelf2;
    let high1 = this.#high1;
    let high2 = this.#high2;
    let sum = energy;
    for (let i = from; i < to; i++) {
      const input = samples[i] as number;
      const shelved = b0 * input + shelf1;
      shelf1 = b1 * input - a1 * shelved + shelf2;
      shelf2 = b2 * input - a2 * shelved;
      const weighted = c0 * shelved + high1;
      high1 = c1 * shelved - d1 * weighted + high2;
      high2 = c2 * shelved - d2 * weighted;
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

function headShelf(sampleRateHz: number): Biquad {
  const gain = 10 ** (3.999843853973347 / 20);
  const middleGain = gain ** 0.4996667741545416;
  const q = 0.7071752369554196;
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRateHz);
  const a0 = 1 + k / q + k * k;
  return {
    b0: (gain + (middleGain * k) / q + k * k) / a0,
    b1: (2 * (k * k - gain)) / a0,
    b2: (gain - (middleGain * k) / q + k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / q + k * k) / a0,
  };
}

function lowCut(sampleRateHz: number): Biquad {
  const q = 0.5003270373238773;
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRateHz);
  const a0 = 1 + k / q + k * k;
  return { b0: 1, b1: -2, b2: 1, a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 };
}
