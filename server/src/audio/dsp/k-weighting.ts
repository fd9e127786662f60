import { createBiquadEnergyKernel } from '../kernels/loudness-kernel.ts';

/** A tenth of a second at 48 kHz, as the loudness meter needs it. */
const BLOCK_SAMPLES = 4800;
const kernel = createBiquadEnergyKernel(BLOCK_SAMPLES);

/**
 * The K-weighting filter of ITU-R BS.1770: a shelving filter that models the head, then a high-pass. The standard gives
 * coefficients for 48 kHz only; these are derived from the analogue prototypes and support any sample rate.
 */
export class KWeighting {
  readonly #coefficients: Float64Array;
  /** The first state of both filters, then the second one. */
  readonly #state = new Float64Array(4);

  constructor(sampleRateHz: number) {
    const [shelf, highPass] = designKWeighting(sampleRateHz);
    this.#coefficients = Float64Array.from(
      shelf.flatMap((value, index) => [value, highPass[index] as number]),
    );
  }

  /** Sets negligible state to 0: arithmetic on denormal numbers is slow. */
  flushDenormals(): void {
    const state = this.#state;
    for (const filter of [0, 1]) {
      if (Math.abs(state[filter] as number) + Math.abs(state[filter + 2] as number) >= 1e-15) continue;
      state[filter] = 0;
      state[filter + 2] = 0;
    }
  }

  /** Weights samples `from` to `to` and adds the sum of their squares to `energy`. */
  addEnergy(samples: Float32Array, from: number, to: number, energy: number): number {
    kernel.coefficients.set(this.#coefficients);
    kernel.state.set(this.#state);
    let sum = energy;
    for (let start = from; start < to; start += BLOCK_SAMPLES) {
      const end = Math.min(start + BLOCK_SAMPLES, to);
      kernel.input.set(samples.subarray(start, end));
      sum = kernel.run(end - start, sum);
    }
    this.#state.set(kernel.state);
    return sum;
  }
}

/**
 * The coefficients of both filters, in the order and form of the kernels: b0, b1 - a1 b0, b2 - a2 b0, a1 and a2. The output
 * term of each filter, b0 * input + its first state, is folded into the state update. A sample then depends on two
 * operations of the previous one instead of five; this dependency determines the run time.
 */
export function designKWeighting(sampleRateHz: number): readonly [readonly number[], readonly number[]] {
  return [fold(designShelf(sampleRateHz)), fold(designHighPass(sampleRateHz))];
}

function fold({ b0, b1, b2, a1, a2 }: Biquad): readonly number[] {
  return [b0, b1 - a1 * b0, b2 - a2 * b0, a1, a2];
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
