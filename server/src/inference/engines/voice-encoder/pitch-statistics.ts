import {
  createLagProductsKernel,
  type LagProductsKernel,
} from '../../../audio/kernels/lag-products-kernel.ts';

const RATE_HZ = 8000;
const FRAME = 320;
const HOP = 80;
const SHORTEST_LAG = 20;
const LONGEST_LAG = 134;
/** A peak has a neighbour on either side. */
const LOWEST_LAG = SHORTEST_LAG - 1;
const LAGS = LONGEST_LAG - LOWEST_LAG + 1;
/** Low, since noise and fast pitch movement reduce the correlation, and omitting such frames biases the pitch upward. */
const VOICED_CORRELATION_MIN = 0.4;
/** Energy threshold relative to the loudest frame. */
const QUIET_SHARE = 1e-2;
/** The first peak within this factor of the highest is the period; later ones are multiples of it. */
const NEAR_BEST = 0.9;
/** Result for unvoiced speech such as a whisper: a pitch between male and female voices, a typical range. */
const UNVOICED_DEFAULT = { log2Hz: 7.2, rangeOctaves: 0.2 };

let sharedKernel: LagProductsKernel | undefined;

/** Created with the first measurement. */
function kernel(): LagProductsKernel {
  sharedKernel ??= createLagProductsKernel({ samples: FRAME + LONGEST_LAG, lags: LAGS });
  return sharedKernel;
}

/** Median of log2 of the pitch in Hz, and half the distance between its 16th and 84th percentile. */
export interface PitchStatistics {
  readonly log2Hz: number;
  readonly rangeOctaves: number;
}

/** Pitch of speech at 8 kHz, from 60 to 400 Hz, by normalised autocorrelation. */
export function measurePitch(samples: Float32Array): PitchStatistics {
  const frames = framePitches(samples);
  const loudest = frames.reduce((max, { energy }) => Math.max(max, energy), 0);
  const pitches = frames.filter(({ energy }) => energy > QUIET_SHARE * loudest).map(({ log2Hz }) => log2Hz);
  if (pitches.length === 0) return UNVOICED_DEFAULT;
  const sorted = Float64Array.from(pitches).sort();
  return {
    log2Hz: quantile(sorted, 0.5),
    rangeOctaves: (quantile(sorted, 0.84) - quantile(sorted, 0.16)) / 2,
  };
}

/** Pitch and energy of the voiced frames. */
function framePitches(samples: Float32Array): { log2Hz: number; energy: number }[] {
  const found: { log2Hz: number; energy: number }[] = [];
  const correlations = new Float64Array(LONGEST_LAG + 1);
  for (let start = 0; start + FRAME + LONGEST_LAG <= samples.length; start += HOP) {
    const energy = fillCorrelations(samples, start, correlations);
    const lag = firstPeriod(correlations);
    if (lag !== undefined) found.push({ log2Hz: Math.log2(RATE_HZ / lag), energy });
  }
  return found;
}

/** Writes the normalised autocorrelation for each lag. Returns the energy of the frame. */
function fillCorrelations(samples: Float32Array, start: number, correlations: Float64Array): number {
  const { input, output: products, run } = kernel();
  input.set(samples.subarray(start, start + FRAME + LONGEST_LAG));
  run(FRAME, LOWEST_LAG, LAGS);
  let lagged = 0;
  for (let index = 0; index < FRAME; index++) lagged += input[index]! ** 2;
  const energy = lagged;
  for (let lag = 1; lag <= LONGEST_LAG; lag++) {
    lagged += input[FRAME + lag - 1]! ** 2 - input[lag - 1]! ** 2;
    if (lag < LOWEST_LAG) continue;
    correlations[lag] = products[lag - LOWEST_LAG]! / Math.sqrt(Math.max(energy * lagged, 1e-12));
  }
  return energy;
}

/** The shortest period near the highest peak, with parabolic interpolation; undefined when unvoiced. */
function firstPeriod(correlations: Float64Array): number | undefined {
  // Only peaks count: at short lags every smooth wave has a high correlation.
  const isPeak = (lag: number) =>
    correlations[lag]! >= correlations[lag - 1]! && correlations[lag]! >= correlations[lag + 1]!;
  let best = 0;
  for (let lag = SHORTEST_LAG; lag < LONGEST_LAG; lag++) {
    if (isPeak(lag)) best = Math.max(best, correlations[lag]!);
  }
  if (best <= VOICED_CORRELATION_MIN) return undefined;
  let lag = SHORTEST_LAG;
  while (!isPeak(lag) || correlations[lag]! <= NEAR_BEST * best) lag++;
  const [left, centre, right] = [correlations[lag - 1]!, correlations[lag]!, correlations[lag + 1]!];
  const shift = (0.5 * (left - right)) / Math.min(left - 2 * centre + right, -1e-6);
  return lag + Math.min(0.5, Math.max(-0.5, shift));
}

function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)]!;
  return below + (at - Math.floor(at)) * (sorted[Math.ceil(at)]! - below);
}
