/** The pitch of speech over time. */
export interface PitchTrack {
  readonly hopSeconds: number;
  /** Pitch around the middle of each hop; 0 where it is not voiced. */
  readonly pitchHz: Float32Array;
  /** Mean square of each hop's window. */
  readonly power: Float32Array;
}

export interface PitchTrackOptions {
  readonly minHz?: number;
  readonly maxHz?: number;
  readonly hopSeconds?: number;
}

const WINDOW_SECONDS = 0.03;
/** How alike a window and the one a period later must be to count as voiced. */
const VOICED_LIKENESS = 0.72;
/** A shorter period is taken when it is nearly as good: multiples of the true one are always alike. */
const SHORTER_PERIOD_SHARE = 0.88;
/** Quieter than this below the loudest window is no voice. */
const FLOOR = 1e-4;
/** Voicing reaches up to here; above it is breath, which only blurs the comparison. */
const LOW_PASS_HZ = 900;
const ANALYSIS_RATE_HZ = 8000;

/**
 * Follows the pitch of speech by comparing each window with itself a period later (normalised
 * cross-correlation on a low-passed copy). Single windows that disagree with both neighbours are mended.
 */
export function trackPitch(
  samples: Float32Array,
  sampleRateHz: number,
  { minHz = 55, maxHz = 520, hopSeconds = 0.01 }: PitchTrackOptions = {},
): PitchTrack {
  const factor = Math.max(1, Math.floor(sampleRateHz / ANALYSIS_RATE_HZ));
  const rateHz = sampleRateHz / factor;
  const low = decimate(samples, factor, 1 - Math.exp((-2 * Math.PI * LOW_PASS_HZ) / sampleRateHz));
  const window = Math.round(WINDOW_SECONDS * rateHz);
  const lags = { min: Math.floor(rateHz / maxHz), max: Math.ceil(rateHz / minHz) };
  const hops = Math.max(0, Math.floor(samples.length / sampleRateHz / hopSeconds));
  const pitchHz = new Float32Array(hops);
  const power = new Float32Array(hops);
  for (let hop = 0; hop < hops; hop++) {
    const middle = Math.round((hop + 0.5) * hopSeconds * rateHz);
    power[hop] = meanSquare(low, middle - (window >> 1), window);
  }
  const floor = FLOOR * power.reduce((max, value) => Math.max(max, value), 0);
  for (let hop = 0; hop < hops; hop++) {
    if (power[hop]! <= floor) continue;
    const middle = Math.round((hop + 0.5) * hopSeconds * rateHz);
    const period = bestPeriod(low, middle, window, lags);
    if (period !== undefined) pitchHz[hop] = rateHz / period;
  }
  return { hopSeconds, pitchHz: mend(pitchHz), power };
}

/** Low-passes twice by one pole and keeps every `factor`th sample. */
function decimate(samples: Float32Array, factor: number, smoothing: number): Float32Array {
  const out = new Float32Array(Math.ceil(samples.length / factor));
  let first = 0;
  let second = 0;
  for (let index = 0; index < samples.length; index++) {
    first += smoothing * (samples[index]! - first);
    second += smoothing * (first - second);
    if (index % factor === 0) out[index / factor] = second;
  }
  return out;
}

function meanSquare(samples: Float32Array, from: number, length: number): number {
  let sum = 0;
  for (let index = Math.max(0, from); index < Math.min(samples.length, from + length); index++) {
    sum += samples[index]! ** 2;
  }
  return sum / length;
}

/** The period around `middle` in samples, to a fraction; undefined when it is not voiced. */
function bestPeriod(
  samples: Float32Array,
  middle: number,
  window: number,
  lags: { readonly min: number; readonly max: number },
): number | undefined {
  const likeness = new Float32Array(lags.max - lags.min + 1);
  for (let lag = lags.min; lag <= lags.max; lag++) {
    likeness[lag - lags.min] = alike(samples, middle - ((window + lag) >> 1), window, lag);
  }
  let best = 0;
  for (let at = 1; at < likeness.length - 1; at++)
    if (isPeak(likeness, at)) best = Math.max(best, likeness[at]!);
  if (best < VOICED_LIKENESS) return undefined;
  for (let at = 1; at < likeness.length - 1; at++) {
    if (isPeak(likeness, at) && likeness[at]! >= SHORTER_PERIOD_SHARE * best) {
      return lags.min + at + peakShift(likeness[at - 1]!, likeness[at]!, likeness[at + 1]!);
    }
  }
  return undefined;
}

function alike(samples: Float32Array, from: number, length: number, lag: number): number {
  const start = Math.max(0, from);
  const end = Math.min(samples.length - lag, from + length);
  let product = 0;
  let energy = 0;
  let laggedEnergy = 0;
  for (let index = start; index < end; index++) {
    const [sample, lagged] = [samples[index]!, samples[index + lag]!];
    product += sample * lagged;
    energy += sample * sample;
    laggedEnergy += lagged * lagged;
  }
  const scale = Math.sqrt(energy * laggedEnergy);
  return scale > 0 ? product / scale : 0;
}

function isPeak(values: Float32Array, at: number): boolean {
  return values[at]! >= values[at - 1]! && values[at]! > values[at + 1]!;
}

/** Where the top of a parabola through three values is, from the middle one. */
function peakShift(left: number, middle: number, right: number): number {
  const bend = left - 2 * middle + right;
  return bend === 0 ? 0 : (0.5 * (left - right)) / bend;
}

/** Replaces what stands alone: a pitch far from two neighbours that agree, and voicing of a single hop. */
function mend(pitchHz: Float32Array): Float32Array {
  return pitchHz.map((hz, hop) => {
    const [before = 0, after = 0] = [pitchHz[hop - 1], pitchHz[hop + 1]];
    if (before === 0 && after === 0) return 0;
    const isAgreed = before > 0 && after > 0 && Math.abs(Math.log2(before / after)) < 0.15;
    const isFar = hz === 0 || Math.abs(Math.log2(hz / before)) > 0.3;
    return isAgreed && isFar ? Math.sqrt(before * after) : hz;
  });
}
