import { WasmModule } from './wasm-module.ts';

/** Samples of the Fourier transform. */
export const TRANSFORM_SIZE = 512;
/** Bins of its spectra. */
export const SPECTRUM_BINS = TRANSFORM_SIZE / 2 + 1;

/** Filters of one or more hops, `SPECTRUM_BINS` values for each hop; the caller fills them. */
export interface HopFilters {
  /** Gain of the pulses, and its complex factor. */
  readonly gain: Float32Array;
  readonly real: Float32Array;
  readonly imaginary: Float32Array;
  readonly noiseGain: Float32Array;
  /** How much of the noise follows the pitch; one value for each hop. */
  readonly depth: Float32Array;
}

export interface SpectrumKernelOptions {
  /** Maximum number of hops between two calls of `begin`, a multiple of 4. */
  readonly hops: number;
  /** Samples from one hop to the next. */
  readonly hopSamples: number;
  /** `TRANSFORM_SIZE` factors of the samples of a hop; they include the normalization of the inverse transform. */
  readonly window: Float32Array;
  /** Noise, of which every hop takes a stretch of `2 * SPECTRUM_BINS` values: real parts, then imaginary parts. */
  readonly noise: Float32Array;
}

type Functions = 'addPulse' | 'addTurned' | 'filter' | 'transform';

const spectrum = new WasmModule<Functions>('spectrum.wasm');

/** Hops that are transformed together. */
const LANES = 4;
/** Bytes of a spectrum's real or imaginary part: the kernel processes eight bins at a time. */
const ROW_BYTES = 4 * 264;
const WORK_BYTES = 2 * LANES * 2 * ROW_BYTES;
/** Vectors at the end of an array are read beyond it. */
const PADDING_BYTES = 64;

/**
 * Synthesis from spectra: the source of each hop is filtered and transformed, and its samples are added to those of its
 * neighbours. Between `begin` and `samples` it belongs to one caller.
 */
export class SpectrumKernel {
  /** Maximum number of hops. */
  readonly hops: number;
  readonly filters: HopFilters;
  /** Sums of the hop that `filterHop` filters next; the caller clears and fills them. */
  readonly pulseReal: Float32Array;
  readonly pulseImaginary: Float32Array;
  readonly modulatedReal: Float32Array;
  readonly modulatedImaginary: Float32Array;
  readonly #functions: Readonly<Record<Functions, (...args: readonly number[]) => number>>;
  readonly #hopSamples: number;
  readonly #sums: Float32Array;
  readonly #samples: Float32Array;
  readonly #at: ReturnType<typeof layOut>['at'];

  constructor({ hops, hopSamples, window, noise }: SpectrumKernelOptions) {
    const { at, bytes } = layOut(hops, hopSamples, noise.length);
    const { memory, functions } = spectrum.instantiate(bytes);
    const array = (from: number, length: number) => new Float32Array(memory, from, length);
    this.hops = hops;
    this.#hopSamples = hopSamples;
    this.#functions = functions;
    this.#at = at;
    this.#sums = array(at.pulses, ROW_BYTES);
    this.#samples = array(at.samples, hops * hopSamples + TRANSFORM_SIZE);
    this.pulseReal = array(at.pulses, SPECTRUM_BINS);
    this.pulseImaginary = array(at.pulses + ROW_BYTES, SPECTRUM_BINS);
    this.modulatedReal = array(at.modulated, SPECTRUM_BINS);
    this.modulatedImaginary = array(at.modulated + ROW_BYTES, SPECTRUM_BINS);
    this.filters = {
      gain: array(at.gain, hops * SPECTRUM_BINS),
      real: array(at.real, hops * SPECTRUM_BINS),
      imaginary: array(at.imaginary, hops * SPECTRUM_BINS),
      noiseGain: array(at.noiseGain, hops * SPECTRUM_BINS),
      depth: array(at.depth, hops),
    };
    array(at.turns, 2 * TURNS).set(turnTable());
    array(at.twiddles, 6 * TWIDDLES).set(twiddleTable());
    array(at.window, TRANSFORM_SIZE).set(window);
    array(at.noise, noise.length).set(noise);
  }

  /** Begins a stretch of `hops` hops. */
  begin(hops: number): void {
    this.#samples.fill(0, 0, hops * this.#hopSamples + TRANSFORM_SIZE);
  }

  /** Clears the sums of pulses and modulated noise. */
  clearSums(): void {
    this.#sums.fill(0);
  }

  /** Adds a pulse to the first `bins` bins: `weight` in bin 0, and in each further bin the one before turned by `step`. */
  addPulse(bins: number, { weight, step }: { readonly weight: number; readonly step: number }): void {
    if (bins <= 0) return;
    const { pulses } = this.#at;
    this.#functions.addPulse(pulses, pulses + ROW_BYTES, bins, weight, Math.cos(step), Math.sin(step));
  }

  /**
   * Adds `bins` bins of the noise at `noiseOffset` from bin `from` on, turned by the conjugate of `cosine + i sine`, to the
   * modulated noise from bin `to` on.
   */
  addModulated(
    noiseOffset: number,
    range: {
      readonly from: number;
      readonly to: number;
      readonly bins: number;
      readonly cosine: number;
      readonly sine: number;
    },
  ): void {
    const { from, to, bins, cosine, sine } = range;
    if (bins <= 0) return;
    const { noise, modulated } = this.#at;
    const real = noise + 4 * (noiseOffset + from);
    const target = modulated + 4 * to;
    const imaginary = real + 4 * SPECTRUM_BINS;
    this.#functions.addTurned(real, imaginary, target, target + ROW_BYTES, bins, cosine, sine);
  }

  /** Filters a hop. Hops follow in order from a multiple of 4 on, and their number is a multiple of 4. */
  filterHop(hop: number, noiseOffset: number): void {
    const at = this.#at;
    const lane = hop % LANES;
    const row = 4 * hop * SPECTRUM_BINS;
    const noise = at.noise + 4 * noiseOffset;
    // No spread of an array: it would allocate one for every hop.
    this.#functions.filter(
      at.pulses,
      at.modulated,
      noise,
      noise + 4 * SPECTRUM_BINS,
      at.gain + row,
      at.real + row,
      at.imaginary + row,
      at.noiseGain + row,
      this.filters.depth[hop]!,
      at.filtered + lane * 2 * ROW_BYTES,
    );
    if (lane < LANES - 1) return;
    const first = at.samples + 4 * (hop - lane) * this.#hopSamples;
    const { filtered, work, turns, twiddles, window } = at;
    this.#functions.transform(filtered, work, turns, twiddles, window, first, 4 * this.#hopSamples);
  }

  /** A copy of the sum of the hops' samples; the first sample of the first hop is 0. */
  samples(from: number, to: number): Float32Array {
    return this.#samples.slice(from, to);
  }
}

/** Addresses of the arrays. */
function layOut(hops: number, hopSamples: number, noiseLength: number) {
  let bytes = 0;
  const place = (length: number) => {
    const address = bytes;
    bytes += Math.ceil((length + PADDING_BYTES) / 16) * 16;
    return address;
  };
  const filterBytes = 4 * hops * SPECTRUM_BINS;
  // Pulses and modulated noise are adjacent: one call clears them.
  const pulses = place(4 * ROW_BYTES);
  const at = {
    pulses,
    modulated: pulses + 2 * ROW_BYTES,
    filtered: place(LANES * 2 * ROW_BYTES),
    work: place(WORK_BYTES),
    turns: place(8 * TURNS),
    twiddles: place(24 * TWIDDLES),
    window: place(4 * TRANSFORM_SIZE),
    noise: place(4 * noiseLength),
    gain: place(filterBytes),
    real: place(filterBytes),
    imaginary: place(filterBytes),
    noiseGain: place(filterBytes),
    depth: place(4 * hops),
    samples: place(4 * (hops * hopSamples + TRANSFORM_SIZE)),
  };
  return { at, bytes };
}

const TURNS = TRANSFORM_SIZE / 4 + 1;
/** Groups of the stages of a radix-4 transform of 256 values. */
const STAGE_GROUPS = [64, 16, 4, 1] as const;
const TWIDDLES = 85;

/** Cosine and sine of each bin's part of a turn. */
function turnTable(): Float32Array {
  return Float32Array.from({ length: 2 * TURNS }, (_, index) => {
    const angle = (2 * Math.PI * Math.floor(index / 2)) / TRANSFORM_SIZE;
    return index % 2 === 0 ? Math.cos(angle) : Math.sin(angle);
  });
}

/** Cosines and sines of the three factors of each group, stage after stage. */
function twiddleTable(): Float32Array {
  const values = STAGE_GROUPS.flatMap((groups) =>
    Array.from({ length: groups }, (_, group) =>
      [1, 2, 3].flatMap((power) => {
        const angle = (2 * Math.PI * power * group) / (4 * groups);
        return [Math.cos(angle), Math.sin(angle)];
      }),
    ).flat(),
  );
  return Float32Array.from(values);
}
