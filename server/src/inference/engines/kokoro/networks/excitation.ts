import { GaussianNoise } from '../../../../audio/dsp/gaussian-noise.ts';
import { SPECTRUM_BINS, SpectrumKernel, TRANSFORM_SIZE } from '../../../../audio/kernels/spectrum-kernel.ts';
import { SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from './features.ts';

/** Window and hop of the decoder's Fourier transform, in samples. */
const WINDOW = TRANSFORM_SIZE;
const HOP = 150;
export const BINS = SPECTRUM_BINS;
export const HOPS_PER_FRAME = SAMPLES_PER_FRAME / HOP;
const HOPS_PER_VALUE = HOPS_PER_FRAME / 2;
const SAMPLES_PER_VALUE = SAMPLES_PER_FRAME / 2;
/** Samples of a window before its hop begins. */
export const MARGIN = (WINDOW - HOP) / 2;
/** Pitch up to this is unvoiced. */
const VOICED_HZ = 10;
const LOWEST_HZ = 40;
const PULSE_TOP_HZ = 11500;
/** Norm of the Hann window. */
const WINDOW_NORM = Math.sqrt(WINDOW * 0.375);
/** The mean of the pulse train lies in the lowest bins, even where voicing begins or ends inside of a window. */
const MEAN_BINS = 12;
/** The half of a pitch value before its centre, and the one after it. */
const HALVES = [-0.5, 0.5] as const;
const NOISE_TABLE_SIZE = 1 << 17;
const NOISE_TABLE_SEED = 1;

/** Spectra that a decoder filters, `BINS` values for each hop. */
export interface Excitation {
  readonly pulseReal: Float32Array;
  readonly pulseImaginary: Float32Array;
  readonly noiseReal: Float32Array;
  readonly noiseImaginary: Float32Array;
  readonly modulatedReal: Float32Array;
  readonly modulatedImaginary: Float32Array;
}

/** The pulses of an utterance in order of time. Arrays of numbers: as objects they would be most of the garbage of speech. */
interface Pulses {
  /** Positions in samples. */
  readonly times: number[];
  readonly sizes: number[];
  /** Number of bins below the highest harmonic. */
  readonly bins: number[];
}

/** The kernel of `spectra`. */
let spectraKernel: SpectrumKernel | undefined;

/** A kernel for up to `hops` hops, a multiple of 4, with the noise of all utterances. */
export function createSynthesisKernel(hops: number): SpectrumKernel {
  return new SpectrumKernel({ hops, hopSamples: HOP, window: synthesisWindow(), noise: noiseTable() });
}

/** Pulse train and noise of one utterance, as spectra of the decoder's windows. Equal seeds give equal noise. */
export class UtteranceExcitation {
  /** Phase of the pitch at the centre of each pitch value, in cycles from 0 to 1. */
  readonly phase: Float32Array;
  readonly #f0: Float32Array;
  readonly #seed: number;
  readonly #pulses: Pulses;
  #lastHop = Number.NEGATIVE_INFINITY;
  /** The first pulse that the last hop or a later one contains. */
  #firstPulse = 0;

  /** `f0` has two values per frame. */
  constructor(f0: Float32Array, seed: number) {
    this.#f0 = f0;
    this.#seed = seed;
    this.phase = pitchPhase(f0);
    this.#pulses = findPulses(f0, this.phase);
  }

  /**
   * Fills the pulses and the modulated noise of a kernel with those of a hop, and returns the offset of its noise. Outside
   * of the utterance there is noise only. Faster for hops in order of time.
   */
  fill(hop: number, kernel: SpectrumKernel): number {
    const noiseOffset = hashHop(this.#seed, hop) % (NOISE_TABLE_SIZE - 2 * BINS);
    kernel.clearSums();
    this.#modulate(hop, noiseOffset, kernel);
    this.#addPulses(hop, kernel);
    return noiseOffset;
  }

  /** Spectra of the hops `[from, to)`. */
  spectra(from: number, to: number): Excitation {
    const array = () => new Float32Array((to - from) * BINS);
    const excitation = {
      pulseReal: array(),
      pulseImaginary: array(),
      noiseReal: array(),
      noiseImaginary: array(),
      modulatedReal: array(),
      modulatedImaginary: array(),
    };
    const noise = noiseTable();
    spectraKernel ??= createSynthesisKernel(HOPS_PER_FRAME);
    for (let hop = from; hop < to; hop++) {
      const start = (hop - from) * BINS;
      const offset = this.fill(hop, spectraKernel);
      excitation.noiseReal.set(noise.subarray(offset, offset + BINS), start);
      excitation.noiseImaginary.set(noise.subarray(offset + BINS, offset + 2 * BINS), start);
      excitation.pulseReal.set(spectraKernel.pulseReal, start);
      excitation.pulseImaginary.set(spectraKernel.pulseImaginary, start);
      excitation.modulatedReal.set(spectraKernel.modulatedReal, start);
      excitation.modulatedImaginary.set(spectraKernel.modulatedImaginary, start);
    }
    return excitation;
  }

  /** Noise times twice the cosine of the pitch phase, which is a shift by the pitch to both sides. */
  #modulate(hop: number, noiseOffset: number, kernel: SpectrumKernel): void {
    const value = Math.floor(hop / HOPS_PER_VALUE);
    const f0 = this.#f0[value] ?? 0;
    if (f0 <= VOICED_HZ) return;
    const side = hop % HOPS_PER_VALUE === 0 ? -1 : 1;
    const cycles = this.phase[value]! + (side * f0 * HOP) / 2 / SAMPLE_RATE_HZ;
    const shift = Math.min(BINS, Math.round((Math.max(f0, LOWEST_HZ) * WINDOW) / SAMPLE_RATE_HZ));
    const angle = 2 * Math.PI * cycles - Math.PI * shift;
    const cosine = Math.cos(angle);
    const sine = Math.sin(angle);
    const bins = BINS - shift;
    // From the noise `shift` bins above; the highest bins have none.
    kernel.addModulated(noiseOffset, { from: shift, to: 0, bins, cosine, sine });
    // From the noise `shift` bins below; the lowest bins have none.
    kernel.addModulated(noiseOffset, { from: 0, to: shift, bins, cosine, sine: -sine });
  }

  /** Pulses have a mean, which the decoder was trained without: it would be a rumble below 60 Hz. */
  #subtractMean(hop: number, { pulseReal, pulseImaginary }: SpectrumKernel): void {
    const value = Math.floor(hop / HOPS_PER_VALUE);
    const tables = meanTables()[hop - value * HOPS_PER_VALUE]!;
    for (let index = 0; index < tables.length; index++) {
      const mean = pulseMean(this.#f0[value + index - 1] ?? 0);
      if (mean === 0) continue;
      const { real, imaginary } = tables[index]!;
      for (let bin = 0; bin < MEAN_BINS; bin++) {
        pulseReal[bin]! -= mean * real[bin]!;
        pulseImaginary[bin]! -= mean * imaginary[bin]!;
      }
    }
  }

  /** Sums the pulses in the window of a hop. */
  #addPulses(hop: number, kernel: SpectrumKernel): void {
    this.#subtractMean(hop, kernel);
    const windowStart = hop * HOP - MARGIN;
    if (hop < this.#lastHop) this.#firstPulse = 0;
    this.#lastHop = hop;
    const { times, sizes, bins } = this.#pulses;
    let first = this.#firstPulse;
    while (first < times.length && lastHop(times[first]!) < hop) first++;
    this.#firstPulse = first;
    for (let index = first; index < times.length && firstHop(times[index]!) <= hop; index++) {
      const place = times[index]! - windowStart;
      kernel.addPulse(bins[index]!, {
        weight: sizes[index]! * (0.5 - 0.5 * Math.cos((2 * Math.PI * place) / WINDOW)),
        step: (-2 * Math.PI * place) / WINDOW,
      });
    }
  }
}

/** The first hop whose window contains a pulse. */
function firstHop(time: number): number {
  return Math.ceil((time - (WINDOW - MARGIN) + 1) / HOP);
}

/** The last hop whose window contains a pulse. */
function lastHop(time: number): number {
  return Math.floor((time + MARGIN) / HOP);
}

function pitchPhase(f0: Float32Array): Float32Array {
  const phase = new Float32Array(f0.length);
  let cycles = 0;
  for (let index = 0; index < f0.length; index++) {
    cycles += (f0[index]! * SAMPLES_PER_VALUE) / SAMPLE_RATE_HZ;
    cycles -= Math.floor(cycles);
    phase[index] = cycles;
  }
  return phase;
}

function harmonicsOf(f0: number): number {
  return Math.max(1, Math.floor(PULSE_TOP_HZ / Math.max(f0, LOWEST_HZ)));
}

/** Mean of a pulse train of unit power; 0 where unvoiced. */
function pulseMean(f0: number): number {
  return f0 > VOICED_HZ ? 0.5 * Math.sqrt(2 / harmonicsOf(f0)) : 0;
}

/** A pulse wherever a cycle is complete. Between the centres of two pitch values the phase advances evenly. */
function findPulses(f0: Float32Array, phase: Float32Array): Pulses {
  const pulses: Pulses = { times: [], sizes: [], bins: [] };
  for (let value = 0; value < f0.length; value++) {
    if (f0[value]! <= VOICED_HZ) continue;
    const harmonics = harmonicsOf(f0[value]!);
    for (const side of HALVES) {
      const hz = side < 0 ? f0[value]! : (f0[value + 1] ?? 0);
      if (hz <= VOICED_HZ) continue;
      const advance = (hz * SAMPLES_PER_VALUE) / SAMPLE_RATE_HZ;
      const edge = phase[value]! + side * advance;
      const last = Math.ceil(Math.max(edge, phase[value]!));
      for (let cycle = Math.ceil(Math.min(edge, phase[value]!)); cycle < last; cycle++) {
        pulses.times.push((value + 0.5 + (cycle - phase[value]!) / advance) * SAMPLES_PER_VALUE - 0.5);
        pulses.sizes.push((Math.sqrt(2 / harmonics) * SAMPLE_RATE_HZ) / (2 * hz) / WINDOW_NORM);
        pulses.bins.push(Math.min(BINS, Math.floor(((harmonics + 0.5) * hz * WINDOW) / SAMPLE_RATE_HZ) + 1));
      }
    }
  }
  return pulses;
}

interface MeanTable {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

let means: readonly (readonly MeanTable[])[] | undefined;

/**
 * Transforms of the parts of a window that lie in the pitch value before, in the own one and in the next; for each hop
 * of a pitch value.
 */
function meanTables(): readonly (readonly MeanTable[])[] {
  means ??= Array.from({ length: HOPS_PER_VALUE }, (_, hop) =>
    [-1, 0, 1].map((value) => {
      const start = hop * HOP - MARGIN;
      return transformPart(value * SAMPLES_PER_VALUE - start, (value + 1) * SAMPLES_PER_VALUE - start);
    }),
  );
  return means;
}

/** Lowest bins of the transform of the window's samples `[from, to)`. */
function transformPart(from: number, to: number): MeanTable {
  const table = { real: new Float64Array(MEAN_BINS), imaginary: new Float64Array(MEAN_BINS) };
  for (let sample = Math.max(0, from); sample < Math.min(WINDOW, to); sample++) {
    const hann = (0.5 - 0.5 * Math.cos((2 * Math.PI * sample) / WINDOW)) / WINDOW_NORM;
    for (let bin = 0; bin < MEAN_BINS; bin++) {
      table.real[bin]! += hann * Math.cos((2 * Math.PI * bin * sample) / WINDOW);
      table.imaginary[bin]! -= hann * Math.sin((2 * Math.PI * bin * sample) / WINDOW);
    }
  }
  return table;
}

/** The window of a hop's samples: the sum of the hops is that of a transform and its inverse. */
function synthesisWindow(): Float32Array {
  const hann = (sample: number) => 0.5 - 0.5 * Math.cos((2 * Math.PI * sample) / WINDOW);
  const overlap = new Float64Array(HOP);
  for (let sample = 0; sample < WINDOW; sample++) overlap[sample % HOP]! += hann(sample) ** 2;
  return Float32Array.from(
    { length: WINDOW },
    (_, sample) => (hann(sample) * WINDOW_NORM) / WINDOW / overlap[sample % HOP]!,
  );
}

let table: Float32Array | undefined;

/** Gaussian numbers of variance 1/2, from which every hop takes a stretch. */
function noiseTable(): Float32Array {
  if (table === undefined) {
    table = new Float32Array(NOISE_TABLE_SIZE);
    new GaussianNoise(NOISE_TABLE_SEED).fill(table);
    for (let index = 0; index < table.length; index++) table[index]! *= Math.SQRT1_2;
  }
  return table;
}

/** 32 bits that depend on seed and hop alone, so that windows of one utterance agree. */
function hashHop(seed: number, hop: number): number {
  const mixed = seed ^ Math.imul(Math.floor(seed / 2 ** 32), 0xc2b2ae35) ^ Math.imul(hop, 0x9e3779b9);
  let bits = Math.imul(mixed, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
