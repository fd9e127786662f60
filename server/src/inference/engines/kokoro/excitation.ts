import { GaussianNoise } from '../../../audio/dsp/gaussian-noise.ts';
import { createSpectrumKernel } from '../../../audio/kernels/spectrum-kernel.ts';
import { SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from './features.ts';

/** Window and hop of the decoder's Fourier transform, in samples. */
const WINDOW = 512;
const HOP = 150;
export const BINS = WINDOW / 2 + 1;
export const HOPS_PER_FRAME = SAMPLES_PER_FRAME / HOP;
const HOPS_PER_VALUE = HOPS_PER_FRAME / 2;
const SAMPLES_PER_VALUE = SAMPLES_PER_FRAME / 2;
/** Samples of a window before its hop begins. */
const MARGIN = (WINDOW - HOP) / 2;
/** Pitch up to this is unvoiced. */
const VOICED_HZ = 10;
const LOWEST_HZ = 40;
const PULSE_TOP_HZ = 11500;
/** Norm of the Hann window. */
const WINDOW_NORM = Math.sqrt(WINDOW * 0.375);
/** The mean of the pulse train lies in the lowest bins, even where voicing begins or ends inside of a window. */
const MEAN_BINS = 12;
const NOISE_TABLE_SIZE = 1 << 17;
const NOISE_TABLE_SEED = 1;

/** Even and odd bins of a pulse are turned at the same time, since a single chain of products would wait for each of them. */
const kernel = createSpectrumKernel(BINS);

/** Spectra that the decoder filters, `BINS` values for each hop. */
export interface Excitation {
  readonly pulseReal: Float32Array;
  readonly pulseImaginary: Float32Array;
  readonly noiseReal: Float32Array;
  readonly noiseImaginary: Float32Array;
  readonly modulatedReal: Float32Array;
  readonly modulatedImaginary: Float32Array;
}

interface Pulse {
  /** Position in samples. */
  readonly time: number;
  readonly size: number;
  /** Number of bins below the highest harmonic. */
  readonly bins: number;
}

/** Pulse train and noise of one utterance, as spectra of the decoder's windows. Equal seeds give equal noise. */
export class UtteranceExcitation {
  /** Phase of the pitch at the centre of each pitch value, in cycles from 0 to 1. */
  readonly phase: Float32Array;
  readonly #f0: Float32Array;
  readonly #seed: number;
  /** In order of time. */
  readonly #pulses: readonly Pulse[];

  /** `f0` has two values per frame. */
  constructor(f0: Float32Array, seed: number) {
    this.#f0 = f0;
    this.#seed = seed;
    this.phase = pitchPhase(f0);
    this.#pulses = findPulses(f0, this.phase);
  }

  /** Spectra of the hops `[from, to)`. Outside of the utterance there is noise only. */
  spectra(from: number, to: number): Excitation {
    const array = () => new Float32Array((to - from) * BINS);
    const excitation = {
      ...{ pulseReal: array(), pulseImaginary: array() },
      ...{ noiseReal: array(), noiseImaginary: array() },
      ...{ modulatedReal: array(), modulatedImaginary: array() },
    };
    let firstPulse = 0;
    for (let hop = from; hop < to; hop++) {
      const start = (hop - from) * BINS;
      this.#drawNoise(hop, start, excitation);
      this.#modulate(hop, start, excitation);
      firstPulse = this.#addPulses(hop, firstPulse);
      excitation.pulseReal.set(kernel.sumReal, start);
      excitation.pulseImaginary.set(kernel.sumImaginary, start);
    }
    return excitation;
  }

  /** Also fills the source of the kernel. */
  #drawNoise(hop: number, start: number, { noiseReal, noiseImaginary }: Excitation): void {
    const table = noiseTable();
    const offset = hashHop(this.#seed, hop) % (NOISE_TABLE_SIZE - 2 * BINS);
    const real = table.subarray(offset, offset + BINS);
    const imaginary = table.subarray(offset + BINS, offset + 2 * BINS);
    noiseReal.set(real, start);
    noiseImaginary.set(imaginary, start);
    kernel.sourceReal.set(real);
    kernel.sourceImaginary.set(imaginary);
  }

  /** Noise times twice the cosine of the pitch phase, which is a shift by the pitch to both sides. */
  #modulate(hop: number, start: number, { modulatedReal, modulatedImaginary }: Excitation): void {
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
    kernel.sumReal.fill(0);
    kernel.sumImaginary.fill(0);
    // From the noise `shift` bins above; the highest bins have none.
    kernel.addTurned({ from: shift, to: 0, bins, cosine, sine });
    // From the noise `shift` bins below; the lowest bins have none.
    kernel.addTurned({ from: 0, to: shift, bins, cosine, sine: -sine });
    modulatedReal.set(kernel.sumReal, start);
    modulatedImaginary.set(kernel.sumImaginary, start);
  }

  /** Pulses have a mean, which the decoder was trained without: it would be a rumble below 60 Hz. */
  #subtractMean(hop: number): void {
    const { sumReal, sumImaginary } = kernel;
    const value = Math.floor(hop / HOPS_PER_VALUE);
    const tables = meanTables()[hop - value * HOPS_PER_VALUE]!;
    for (let index = 0; index < tables.length; index++) {
      const mean = pulseMean(this.#f0[value + index - 1] ?? 0);
      if (mean === 0) continue;
      const { real, imaginary } = tables[index]!;
      for (let bin = 0; bin < MEAN_BINS; bin++) {
        sumReal[bin]! -= mean * real[bin]!;
        sumImaginary[bin]! -= mean * imaginary[bin]!;
      }
    }
  }

  /**
   * Sums the pulses in the window of a hop, of which none is before the pulse `from`. Returns the first one that the next
   * hop may contain.
   */
  #addPulses(hop: number, from: number): number {
    kernel.sumReal.fill(0);
    kernel.sumImaginary.fill(0);
    this.#subtractMean(hop);
    const windowStart = hop * HOP - MARGIN;
    let first = from;
    while (first < this.#pulses.length && lastHop(this.#pulses[first]!) < hop) first++;
    for (let index = first; index < this.#pulses.length; index++) {
      const pulse = this.#pulses[index]!;
      if (firstHop(pulse) > hop) break;
      const place = pulse.time - windowStart;
      kernel.addPulse(pulse.bins, {
        weight: pulse.size * (0.5 - 0.5 * Math.cos((2 * Math.PI * place) / WINDOW)),
        step: (-2 * Math.PI * place) / WINDOW,
      });
    }
    return first;
  }
}

/** The first hop whose window contains a pulse. */
function firstHop({ time }: Pulse): number {
  return Math.ceil((time - (WINDOW - MARGIN) + 1) / HOP);
}

/** The last hop whose window contains a pulse. */
function lastHop({ time }: Pulse): number {
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
function findPulses(f0: Float32Array, phase: Float32Array): Pulse[] {
  const pulses: Pulse[] = [];
  for (let value = 0; value < f0.length; value++) {
    if (f0[value]! <= VOICED_HZ) continue;
    const harmonics = harmonicsOf(f0[value]!);
    for (const side of [-0.5, 0.5]) {
      const hz = side < 0 ? f0[value]! : (f0[value + 1] ?? 0);
      if (hz <= VOICED_HZ) continue;
      const advance = (hz * SAMPLES_PER_VALUE) / SAMPLE_RATE_HZ;
      const edge = phase[value]! + side * advance;
      const last = Math.ceil(Math.max(edge, phase[value]!));
      for (let cycle = Math.ceil(Math.min(edge, phase[value]!)); cycle < last; cycle++) {
        pulses.push({
          time: (value + 0.5 + (cycle - phase[value]!) / advance) * SAMPLES_PER_VALUE - 0.5,
          size: (Math.sqrt(2 / harmonics) * SAMPLE_RATE_HZ) / (2 * hz) / WINDOW_NORM,
          bins: Math.min(BINS, Math.floor(((harmonics + 0.5) * hz * WINDOW) / SAMPLE_RATE_HZ) + 1),
        });
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
