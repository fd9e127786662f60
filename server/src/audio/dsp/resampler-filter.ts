import { createResamplerKernel, type ResamplerKernel } from '../kernels/resampler-kernel.ts';
import { kaiserBeta, kaiserWindow, sinc } from './kaiser.ts';

/** The edges of pass band and stop band, relative to the Nyquist frequency of the lower rate. */
interface Band {
  readonly passEdge: number;
  readonly stopEdge: number;
}

/** The default: the stop band begins at the Nyquist frequency of the lower rate. */
const BAND: Band = { passEdge: 0.905, stopEdge: 1 };
/**
 * For upsampling from a high rate: the transition band is symmetric around the Nyquist frequency. Only frequencies in
 * the transition band have an image, next to themselves, and from `HIGH_RATE_HZ` on it is above the range of speech.
 * This saves two thirds of the filter.
 */
const HIGH_BAND: Band = { passEdge: 0.866, stopEdge: 1.134 };
const HIGH_RATE_HZ = 22_050;
const STOP_BAND_ATTENUATION_DB = 84;

// Every pair of common audio rates needs fewer; uncommon ratios would need tables of many megabytes.
const MAX_PHASES = 4096;

/** A windowed-sinc low-pass as a polyphase filter: one subfilter for each position between two input samples. */
export interface PolyphaseFilter {
  /** Output rate over input rate, in lowest terms, is `up / down`. */
  readonly up: number;
  readonly down: number;
  /** Length of each subfilter. */
  readonly taps: number;
  readonly kernel: ResamplerKernel;
}

// Input samples per call of the kernel.
const BLOCK_SAMPLES = 4096;

const banks = new Map<string, PolyphaseFilter>();

/** Whether the ratio of two rates needs few enough phases. */
export function canResample(fromHz: number, toHz: number): boolean {
  return toHz / greatestCommonDivisor(fromHz, toHz) <= MAX_PHASES;
}

/** The filter for a pair of rates, from a cache. Throws a `RangeError` when their ratio needs too many phases. */
export function filterBank(fromHz: number, toHz: number): PolyphaseFilter {
  const key = `${fromHz}>${toHz}`;
  const known = banks.get(key);
  if (known !== undefined) return known;
  const bank = designFilterBank(fromHz, toHz);
  // Rates may come from uploads, so the cache is bounded.
  if (banks.size >= 64) banks.clear();
  banks.set(key, bank);
  return bank;
}

function designFilterBank(fromHz: number, toHz: number): PolyphaseFilter {
  if (!Number.isInteger(fromHz) || !Number.isInteger(toHz) || fromHz <= 0 || toHz <= 0) {
    throw new RangeError(`Cannot resample from ${fromHz} Hz to ${toHz} Hz.`);
  }
  const divisor = greatestCommonDivisor(fromHz, toHz);
  const up = toHz / divisor;
  const down = fromHz / divisor;
  if (up > MAX_PHASES)
    throw new RangeError(`Cannot resample from ${fromHz} Hz to ${toHz} Hz: the ratio needs ${up} phases.`);

  // Bandwidths relative to the Nyquist frequency of the input.
  const lowerRate = Math.min(1, toHz / fromHz);
  const { passEdge, stopEdge } = toHz > fromHz && fromHz >= HIGH_RATE_HZ ? HIGH_BAND : BAND;
  const transition = (stopEdge - passEdge) * lowerRate;
  const cutoff = ((stopEdge + passEdge) / 2) * lowerRate;
  const tapsWanted = (STOP_BAND_ATTENUATION_DB - 8) / (2.285 * Math.PI * transition);
  const taps = 8 * Math.ceil(tapsWanted / 8);
  const half = taps / 2;
  const beta = kaiserBeta(STOP_BAND_ATTENUATION_DB);

  const coefficients = new Float32Array(up * taps);
  for (let phase = 0; phase < up; phase++) {
    const filter = Array.from({ length: taps }, (_, tap) => {
      const distance = tap - (half - 1) - phase / up;
      return cutoff * sinc(cutoff * distance) * kaiserWindow(distance / half, beta);
    });
    // Equal sums of all subfilters: a constant input gives a constant output, without ripple at the phase rate.
    const sum = filter.reduce((total, value) => total + value, 0);
    for (let tap = 0; tap < taps; tap++) coefficients[phase * taps + tap] = (filter[tap] as number) / sum;
  }
  const kernel = createResamplerKernel({
    up,
    taps,
    coefficients,
    wholeStep: Math.floor(down / up),
    phaseStep: down % up,
    inputCapacity: taps + BLOCK_SAMPLES,
    outputCapacity: Math.ceil(((BLOCK_SAMPLES + taps) * up) / down) + 1,
  });
  return { up, down, taps, kernel };
}

export function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
