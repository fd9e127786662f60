/** The F0 contour of speech. */
export interface PitchTrack {
  readonly hopSeconds: number;
  /** F0 at the centre of each hop; 0 for unvoiced hops. */
  readonly pitchHz: Float32Array;
  /** Mean square of the window of each hop. */
  readonly power: Float32Array;
}

export interface PitchTrackOptions {
  readonly minHz?: number;
  readonly maxHz?: number;
  readonly hopSeconds?: number;
  /** Minimum sample rate of the analysis. Half the rate costs a quarter of the time and is slightly less precise. */
  readonly analysisRateHz?: number;
}

const WINDOW_SECONDS = 0.03;
/** Minimum normalised cross-correlation of a voiced window with the window one period later. */
const VOICING_THRESHOLD = 0.72;
/** A shorter period wins with this share of the best correlation, because multiples of the true period correlate as well. */
const SHORTER_PERIOD_SHARE = 0.88;
/** Windows below this power, relative to the loudest window, are unvoiced. */
const POWER_FLOOR = 1e-4;
/** Higher frequencies are mostly aspiration noise, which lowers the correlation. */
const LOW_PASS_HZ = 900;
const ANALYSIS_RATE_HZ = 8000;

/**
 * Tracks F0 by normalised cross-correlation of each window with the audio one period later, on a low-passed copy. Single
 * hops that deviate from both neighbours are corrected.
 */
export function trackPitch(
  samples: Float32Array,
  sampleRateHz: number,
  { minHz = 55, maxHz = 520, hopSeconds = 0.01, analysisRateHz = ANALYSIS_RATE_HZ }: PitchTrackOptions = {},
): PitchTrack {
  const factor = Math.max(1, Math.floor(sampleRateHz / analysisRateHz));
  const rateHz = sampleRateHz / factor;
  const low = decimate(samples, factor, 1 - Math.exp((-2 * Math.PI * LOW_PASS_HZ) / sampleRateHz));
  const window = Math.round(WINDOW_SECONDS * rateHz);
  const lags = { min: Math.floor(rateHz / maxHz), max: Math.ceil(rateHz / minHz) };
  const energies = energySums(low);
  const hops = Math.max(0, Math.floor(samples.length / sampleRateHz / hopSeconds));
  const pitchHz = new Float32Array(hops);
  const power = new Float32Array(hops);
  for (let hop = 0; hop < hops; hop++) {
    const centre = Math.round((hop + 0.5) * hopSeconds * rateHz);
    power[hop] = energyBetween(energies, centre - (window >> 1), centre + window - (window >> 1)) / window;
  }
  const correlation = new Float32Array(lags.max - lags.min + 1);
  const floor = POWER_FLOOR * power.reduce((max, value) => Math.max(max, value), 0);
  for (let hop = 0; hop < hops; hop++) {
    if (power[hop]! <= floor) continue;
    const centre = Math.round((hop + 0.5) * hopSeconds * rateHz);
    const period = bestPeriod({ samples: low, energies }, { centre, window, lags, correlation });
    if (period !== undefined) pitchHz[hop] = rateHz / period;
  }
  return { hopSeconds, pitchHz: correctOutliers(pitchHz), power };
}

/** Minimum number of voiced hops of a median that is not an accident of one period. */
const MEDIAN_HOPS_MIN = 3;

/** The median F0 of speech; undefined when too little of it is voiced. */
export function medianPitchHz(samples: Float32Array, sampleRateHz: number): number | undefined {
  const voiced = trackPitch(samples, sampleRateHz)
    .pitchHz.filter((hz) => hz > 0)
    .sort();
  return voiced.length < MEDIAN_HOPS_MIN ? undefined : voiced[voiced.length >> 1];
}

/** Applies a one-pole low-pass twice and decimates by `factor`. */
function decimate(samples: Float32Array, factor: number, smoothing: number): Float32Array {
  const out = new Float32Array(Math.ceil(samples.length / factor));
  let first = 0;
  let second = 0;
  for (let kept = 0, index = 0; kept < out.length; kept++) {
    for (const end = kept * factor; index <= end; index++) {
      first += smoothing * (samples[index]! - first);
      second += smoothing * (first - second);
    }
    out[kept] = second;
  }
  return out;
}

/** The energy of the samples in a range, clipped to the audio. */
function energyBetween(sums: Float64Array, from: number, to: number): number {
  const end = sums.length - 1;
  return sums[Math.min(end, Math.max(0, to))]! - sums[Math.min(end, Math.max(0, from))]!;
}

/** The period around `centre` in samples, interpolated; undefined when unvoiced. */
function bestPeriod(
  speech: SummedSpeech,
  {
    centre,
    window,
    lags,
    correlation,
  }: {
    readonly centre: number;
    readonly window: number;
    readonly lags: { readonly min: number; readonly max: number };
    /** Scratch memory, one value per lag. */
    readonly correlation: Float32Array;
  },
): number | undefined {
  for (let lag = lags.min; lag <= lags.max; lag++) {
    correlation[lag - lags.min] = correlationAt(speech, centre - ((window + lag) >> 1), window, lag);
  }
  let best = 0;
  for (let at = 1; at < correlation.length - 1; at++)
    if (isPeak(correlation, at)) best = Math.max(best, correlation[at]!);
  if (best < VOICING_THRESHOLD) return undefined;
  for (let at = 1; at < correlation.length - 1; at++) {
    if (isPeak(correlation, at) && correlation[at]! >= SHORTER_PERIOD_SHARE * best) {
      return lags.min + at + peakShift(correlation[at - 1]!, correlation[at]!, correlation[at + 1]!);
    }
  }
  return undefined;
}

/** Speech and its cumulative energy, so that the energy of any range is a difference. */
interface SummedSpeech {
  readonly samples: Float32Array;
  readonly energies: Float64Array;
}

function energySums(samples: Float32Array): Float64Array {
  const sums = new Float64Array(samples.length + 1);
  for (let index = 0; index < samples.length; index++) sums[index + 1] = sums[index]! + samples[index]! ** 2;
  return sums;
}

function correlationAt(
  { samples, energies }: SummedSpeech,
  from: number,
  length: number,
  lag: number,
): number {
  const start = Math.max(0, from);
  const end = Math.max(start, Math.min(samples.length - lag, from + length));
  let product = 0;
  for (let index = start; index < end; index++) product += samples[index]! * samples[index + lag]!;
  const scale = Math.sqrt(
    energyBetween(energies, start, end) * energyBetween(energies, start + lag, end + lag),
  );
  return scale > 0 ? product / scale : 0;
}

function isPeak(values: Float32Array, at: number): boolean {
  return values[at]! >= values[at - 1]! && values[at]! > values[at + 1]!;
}

/** The offset of the vertex of a parabola through three values, relative to the centre one. */
function peakShift(left: number, centre: number, right: number): number {
  const curvature = left - 2 * centre + right;
  return curvature === 0 ? 0 : (0.5 * (left - right)) / curvature;
}

/** Corrects isolated hops: an F0 far from two neighbours that agree, and a single voiced hop. */
function correctOutliers(pitchHz: Float32Array): Float32Array {
  return pitchHz.map((hz, hop) => {
    const [before = 0, after = 0] = [pitchHz[hop - 1], pitchHz[hop + 1]];
    if (before === 0 && after === 0) return 0;
    const isAgreed = before > 0 && after > 0 && Math.abs(Math.log2(before / after)) < 0.15;
    const isFar = hz === 0 || Math.abs(Math.log2(hz / before)) > 0.3;
    return isAgreed && isFar ? Math.sqrt(before * after) : hz;
  });
}
