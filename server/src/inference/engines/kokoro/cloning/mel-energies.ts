import { Fft } from '../../../../audio/dsp/fft.ts';

const LOWEST_HZ = 20;

export interface MelOptions {
  /** Samples of the Hann window; the frame is zero-padded to the size of the transform. */
  readonly window: number;
  readonly transform: number;
  readonly hop: number;
  readonly sampleRateHz: number;
  /** Number of bands from 20 Hz to half the sample rate. */
  readonly bands: number;
}

/** Energies in mel bands, as the training of the decoder computes them (`training/fast-decoder/losses.py`). */
export class MelEnergies {
  readonly #options: MelOptions;
  readonly #fft: Fft;
  readonly #hann: Float64Array;
  readonly #filters: readonly { readonly firstBin: number; readonly weights: Float64Array }[];

  constructor(options: MelOptions) {
    const { window, transform } = options;
    this.#options = options;
    this.#fft = new Fft(transform);
    this.#hann = Float64Array.from(
      { length: window },
      (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / window),
    );
    this.#filters = triangles(options);
  }

  /** One row of energies for each whole hop. The window of a row is centred at the beginning of its hop. */
  rows(samples: Float32Array): readonly Float64Array[] {
    const { hop } = this.#options;
    return Array.from({ length: Math.floor(samples.length / hop) }, (_, row) =>
      this.#row(samples, row * hop),
    );
  }

  #row(samples: Float32Array, centre: number): Float64Array {
    const { window, transform } = this.#options;
    const real = new Float64Array(transform);
    const imaginary = new Float64Array(transform);
    const start = centre - window / 2;
    const end = Math.min(window, samples.length - start);
    for (let index = Math.max(0, -start); index < end; index++)
      real[index] = samples[start + index]! * this.#hann[index]!;
    this.#fft.transform(real, imaginary);
    return Float64Array.from(this.#filters, ({ firstBin, weights }) => {
      let sum = 0;
      for (let index = 0; index < weights.length; index++)
        sum += weights[index]! * (real[firstBin + index]! ** 2 + imaginary[firstBin + index]! ** 2);
      return sum;
    });
  }
}

/** Triangles of height 1, evenly spaced on the mel scale. */
function triangles({ bands, transform, sampleRateHz }: MelOptions) {
  const from = toMel(LOWEST_HZ);
  const step = (toMel(sampleRateHz / 2) - from) / (bands + 1);
  const cornerHz = (index: number) => 700 * (10 ** ((from + step * index) / 2595) - 1);
  const binHz = sampleRateHz / transform;
  return Array.from({ length: bands }, (_, band) => {
    const [low, middle, high] = [cornerHz(band), cornerHz(band + 1), cornerHz(band + 2)];
    const firstBin = Math.ceil(low / binHz);
    const lastBin = Math.min(transform / 2, Math.floor(high / binHz));
    const weights = Float64Array.from({ length: Math.max(0, lastBin - firstBin + 1) }, (_, index) => {
      const hz = (firstBin + index) * binHz;
      return Math.max(0, Math.min((hz - low) / (middle - low), (high - hz) / (high - middle)));
    });
    return { firstBin, weights };
  });
}

function toMel(hz: number): number {
  return 2595 * Math.log10(1 + hz / 700);
}
