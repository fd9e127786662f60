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
  /** Speech is compared at no less than this rate; half of it costs a quarter and is a little coarser. */
  readonly analysisRateHz?: number;
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
    const middle = Math.round((hop + 0.5) * hopSeconds * rateHz);
    power[hop] = energyBetween(energies, middle - (window >> 1), middle + window - (window >> 1)) / window;
  }
  const likeness = new Float32Array(lags.max - lags.min + 1);
  const floor = FLOOR * power.reduce((max, value) => Math.max(max, value), 0);
  for (let hop = 0; hop < hops; hop++) {
    if (power[hop]! <= floor) continue;
    const middle = Math.round((hop + 0.5) * hopSeconds * rateHz);
    const period = bestPeriod({ samples: low, energies }, { middle, window, lags, likeness });
    if (period !== undefined) pitchHz[hop] = rateHz / period;
  }
  return { hopSeconds, pitchHz: mend(pitchHz), power };
}

/** Low-passes twice by one pole and keeps every `factor`th sample. */
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

/** Of the samples there are between two places. */
function energyBetween(sums: Float64Array, from: number, to: number): number {
  const end = sums.length - 1;
  return sums[Math.min(end, Math.max(0, to))]! - sums[Math.min(end, Math.max(0, from))]!;
}

/** The period around `middle` in samples, to a fraction; undefined when it is not voiced. */
function bestPeriod(
  speech: SummedSpeech,
  {
    middle,
    window,
    lags,
    likeness,
  }: {
    readonly middle: number;
    readonly window: number;
    readonly lags: { readonly min: number; readonly max: number };
    /** Overwritten, one number for each lag. */
    readonly likeness: Float32Array;
  },
): number | undefined {
  for (let lag = lags.min; lag <= lags.max; lag++) {
    likeness[lag - lags.min] = alike(speech, middle - ((window + lag) >> 1), window, lag);
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

/** Speech, and the energy of all before each sample, so that the energy of any stretch is a difference. */
interface SummedSpeech {
  readonly samples: Float32Array;
  readonly energies: Float64Array;
}

function energySums(samples: Float32Array): Float64Array {
  const sums = new Float64Array(samples.length + 1);
  for (let index = 0; index < samples.length; index++) sums[index + 1] = sums[index]! + samples[index]! ** 2;
  return sums;
}

function alike({ samples, energies }: SummedSpeech, from: number, length: number, lag: number): number {
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
