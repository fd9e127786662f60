import { GaussianNoise } from '../../server/src/audio/dsp/gaussian-noise.ts';
import { SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from '../../server/src/inference/engines/kokoro/features.ts';

/** Window and hop of the decoder's Fourier transform, in samples. */
const WINDOW = 512;
const HOP = 150;
export const BINS = WINDOW / 2 + 1;
export const HOPS_PER_FRAME = SAMPLES_PER_FRAME / HOP;
const HOPS_PER_VALUE = HOPS_PER_FRAME / 2;
const SAMPLES_PER_VALUE = SAMPLES_PER_FRAME / 2;
/** Samples of a window before its hop begins. */
const MARGIN = (WINDOW - HOP) / 2;
const VOICED_HZ = 10;
const LOWEST_HZ = 40;
const PULSE_TOP_HZ = 11500;
/** Norm of the Hann window. */
const WINDOW_NORM = Math.sqrt(WINDOW * 0.375);
const NOISE_TABLE_SIZE = 1 << 17;
const NOISE_TABLE_SEED = 1;

/** Spectra of what the decoder filters, `BINS` values for each hop. */
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

/** Pulse train and noise of one utterance, as spectra of the decoder's windows. The same seed gives the same noise. */
export class UtteranceExcitation {
  /** Pitch cycles at the centre of each pitch value, in turns from 0 to 1. */
  readonly cycles: Float32Array;
  readonly #f0: Float32Array;
  readonly #seed: number;
  readonly #pulses: readonly Pulse[];

  constructor(f0: Float32Array, seed: number) {
    this.#f0 = f0;
    this.#seed = seed;
    this.cycles = pitchCycles(f0);
    this.#pulses = findPulses(f0, this.cycles);
  }

  /** Spectra of the hops `[from, to)`. Outside of the utterance there is noise only. */
  spectra(from: number, to: number): Excitation {
    const size = (to - from) * BINS;
    const [pulseReal, pulseImaginary] = [new Float32Array(size), new Float32Array(size)];
    const [noiseReal, noiseImaginary] = [new Float32Array(size), new Float32Array(size)];
    const [modulatedReal, modulatedImaginary] = [new Float32Array(size), new Float32Array(size)];
    const table = noiseTable();
    for (let hop = from; hop < to; hop++) {
      const start = (hop - from) * BINS;
      const offset = hashHop(this.#seed, hop) % (NOISE_TABLE_SIZE - 2 * BINS);
      noiseReal.set(table.subarray(offset, offset + BINS), start);
      noiseImaginary.set(table.subarray(offset + BINS, offset + 2 * BINS), start);
      this.#modulate(hop, start, { noiseReal, noiseImaginary, modulatedReal, modulatedImaginary });
    }
    for (const pulse of this.#pulses) {
      const first = Math.max(from, Math.ceil((pulse.time - (WINDOW - MARGIN) + 1) / HOP));
      const last = Math.min(to - 1, Math.floor((pulse.time + MARGIN) / HOP));
      for (let hop = first; hop <= last; hop++)
        addPulse(pulse, pulse.time - (hop * HOP - MARGIN), (hop - from) * BINS, pulseReal, pulseImaginary);
    }
    return { pulseReal, pulseImaginary, noiseReal, noiseImaginary, modulatedReal, modulatedImaginary };
  }

  /** Noise times twice the cosine of the pitch cycle: shifted by the pitch to both sides. */
  #modulate(hop: number, start: number, spectra: Omit<Excitation, 'pulseReal' | 'pulseImaginary'>): void {
    const value = Math.floor(hop / HOPS_PER_VALUE);
    const f0 = this.#f0[value] ?? 0;
    if (f0 <= VOICED_HZ) return;
    const { noiseReal, noiseImaginary, modulatedReal, modulatedImaginary } = spectra;
    const side = hop % HOPS_PER_VALUE === 0 ? -1 : 1;
    const turns = this.cycles[value]! + (side * f0 * HOP) / 2 / SAMPLE_RATE_HZ;
    const shift = Math.round((Math.max(f0, LOWEST_HZ) * WINDOW) / SAMPLE_RATE_HZ);
    const angle = 2 * Math.PI * turns - Math.PI * shift;
    const cosine = Math.cos(angle);
    const sine = Math.sin(angle);
    for (let low = start, high = start + shift; high < start + BINS; low++, high++) {
      const lowReal = noiseReal[low]!;
      const lowImaginary = noiseImaginary[low]!;
      const highReal = noiseReal[high]!;
      const highImaginary = noiseImaginary[high]!;
      modulatedReal[high]! += cosine * lowReal - sine * lowImaginary;
      modulatedImaginary[high]! += cosine * lowImaginary + sine * lowReal;
      modulatedReal[low]! += cosine * highReal + sine * highImaginary;
      modulatedImaginary[low]! += cosine * highImaginary - sine * highReal;
    }
  }
}

function pitchCycles(f0: Float32Array): Float32Array {
  const cycles = new Float32Array(f0.length);
  let turns = 0;
  for (let index = 0; index < f0.length; index++) {
    turns = (turns + (f0[index]! * SAMPLES_PER_VALUE) / SAMPLE_RATE_HZ) % 1;
    cycles[index] = turns;
  }
  return cycles;
}

/** A pulse wherever a cycle is complete. Between the centres of two pitch values the phase advances evenly. */
function findPulses(f0: Float32Array, cycles: Float32Array): Pulse[] {
  const pulses: Pulse[] = [];
  for (let value = 0; value < f0.length; value++) {
    if (f0[value]! <= VOICED_HZ) continue;
    const harmonics = Math.floor(PULSE_TOP_HZ / Math.max(f0[value]!, LOWEST_HZ));
    for (const side of [-0.5, 0.5]) {
      const hz = side < 0 ? f0[value]! : (f0[value + 1] ?? 0);
      if (hz <= 0) continue;
      const advance = (hz * SAMPLES_PER_VALUE) / SAMPLE_RATE_HZ;
      const edge = cycles[value]! + side * advance;
      const last = Math.ceil(Math.max(edge, cycles[value]!));
      for (let turn = Math.ceil(Math.min(edge, cycles[value]!)); turn < last; turn++) {
        pulses.push({
          time: (value + 0.5 + (turn - cycles[value]!) / advance) * SAMPLES_PER_VALUE - 0.5,
          size: (Math.sqrt(2 / harmonics) * SAMPLE_RATE_HZ) / (2 * hz) / WINDOW_NORM,
          bins: Math.min(BINS, Math.floor(((harmonics + 0.5) * hz * WINDOW) / SAMPLE_RATE_HZ) + 1),
        });
      }
    }
  }
  return pulses;
}

/** Adds the transform of a pulse at `place` within a window. */
function addPulse(
  { size, bins }: Pulse,
  place: number,
  start: number,
  real: Float32Array,
  imaginary: Float32Array,
): void {
  const weight = size * (0.5 - 0.5 * Math.cos((2 * Math.PI * place) / WINDOW));
  const step = (-2 * Math.PI * place) / WINDOW;
  const cosine = Math.cos(step);
  const sine = Math.sin(step);
  let x = weight;
  let y = 0;
  for (let index = start; index < start + bins; index++) {
    real[index]! += x;
    imaginary[index]! += y;
    const turned = x * cosine - y * sine;
    y = x * sine + y * cosine;
    x = turned;
  }
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
  let bits = Math.imul((seed ^ Math.imul(hop, 0x9e3779b9)) >>> 0, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
