import { createResamplerKernel, type ResamplerKernel } from '../kernels/resampler-kernel.ts';
import { kaiserBeta, kaiserWindow, sinc } from './kaiser.ts';

/** Flat up to the first, silent from the second on, as parts of the lower rate's Nyquist frequency. */
interface Band {
  readonly passEdge: number;
  readonly stopEdge: number;
}

/** Mostly it is silent where the lower rate's frequencies end. */
const BAND: Band = { passEdge: 0.905, stopEdge: 1 };
/**
 * Towards a higher rate it may be silent as far above as it is flat below: what is flat has no image, and the rest has
 * one right beside itself. Where that is higher than speech reaches, nobody hears it, and two thirds of the filter are
 * saved.
 */
const HIGH_BAND: Band = { passEdge: 0.866, stopEdge: 1.134 };
const HIGH_RATE_HZ = 22_050;
const STOP_BAND_ATTENUATION_DB = 84;

// Every pair of usual audio rates needs fewer; odder ones would take tables of many megabytes.
const MAX_PHASES = 4096;

/** A windowed-sinc low-pass, cut into one short filter for each position between two input samples. */
export interface PolyphaseFilter {
  /** Output rate over input rate, in lowest terms, is `up / down`. */
  readonly up: number;
  readonly down: number;
  /** Length of each short filter. */
  readonly taps: number;
  readonly kernel: ResamplerKernel;
}

// Input samples that are filtered in one go.
const BLOCK_SAMPLES = 4096;

const banks = new Map<string, PolyphaseFilter>();

/** The filter for a pair of rates, made once. Throws a `RangeError` on rates that have no practical ratio. */
export function filterBank(fromHz: number, toHz: number): PolyphaseFilter {
  const key = `${fromHz}>${toHz}`;
  const known = banks.get(key);
  if (known !== undefined) return known;
  const bank = designFilterBank(fromHz, toHz);
  // Rates may come from uploads; a bound keeps strange ones from piling up.
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
  if (up > MAX_PHASES) throw new RangeError(`Cannot resample from ${fromHz} Hz to ${toHz} Hz: odd ratio.`);

  // Bandwidths in units of the input's Nyquist frequency.
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
    // Equal sums keep a constant constant: no ripple at the phase rate.
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

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
