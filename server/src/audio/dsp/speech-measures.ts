import { trackPitch } from './pitch-track.ts';

/** Prosodic and spectral measures of speech. */
export interface SpeechMeasures {
  readonly seconds: number;
  /** Median F0 of the voiced windows; NaN when there are none. */
  readonly pitchHz: number;
  /**
   * F0 range: from the mean of the 10th to 30th percentile to the mean of the 70th to 90th. Single percentiles are unstable
   * when the contour has few values between high and low.
   */
  readonly rangeSemitones: number;
  /** Root mean square of the active windows, relative to full scale. */
  readonly levelDb: number;
  /** Energy above 2.5 kHz, relative to the total energy. */
  readonly brightnessDb: number;
  /** Share of the active windows that are voiced. */
  readonly voicedShare: number;
  /** Longest silence between two active windows. */
  readonly longestPauseSeconds: number;
}

const HOP_SECONDS = 0.01;
/** Windows below this power, relative to the loudest window, are silent. */
const SILENCE_POWER = 1e-3;
/** Values further from the median are creaky voice or octave errors. */
const CONTOUR_SEMITONES_MAX = 12;
const BRIGHT_ABOVE_HZ = 2500;

/** Measures a segment of speech. */
export function measureSpeech(samples: Float32Array, sampleRateHz: number): SpeechMeasures {
  const { pitchHz } = trackPitch(samples, sampleRateHz, { hopSeconds: HOP_SECONDS });
  const voiced = pitchHz.filter((hz) => hz > 0).sort();
  const medianHz = voiced[Math.floor((voiced.length - 1) / 2)] ?? Number.NaN;
  const semitones = voiced.map((hz) => 12 * Math.log2(hz / medianHz));
  const contour = semitones.filter((semitone) => Math.abs(semitone) < CONTOUR_SEMITONES_MAX);
  const percentileMean = (from: number, to: number) =>
    mean(contour.subarray(Math.floor(from * contour.length), Math.ceil(to * contour.length)));
  const powers = windowPowers(samples, Math.round(HOP_SECONDS * sampleRateHz));
  const loudest = powers.reduce((max, power) => Math.max(max, power), 0);
  const isActive = powers.map((power) => power > SILENCE_POWER * loudest);
  const activePowers = powers.filter((_, index) => isActive[index]);
  return {
    seconds: samples.length / sampleRateHz,
    pitchHz: medianHz,
    rangeSemitones: percentileMean(0.7, 0.9) - percentileMean(0.1, 0.3),
    levelDb: 10 * Math.log10(mean(activePowers)),
    brightnessDb: brightnessDb(samples, sampleRateHz),
    voicedShare:
      pitchHz.filter((hz, index) => hz > 0 && isActive[index]).length / Math.max(1, activePowers.length),
    longestPauseSeconds: longestGap(isActive) * HOP_SECONDS,
  };
}

function windowPowers(samples: Float32Array, length: number): number[] {
  const powers: number[] = [];
  for (let from = 0; from + length <= samples.length; from += length) {
    powers.push(mean(samples.subarray(from, from + length).map((sample) => sample * sample)));
  }
  return powers;
}

function longestGap(isActive: readonly boolean[]): number {
  let longest = 0;
  let last = isActive.indexOf(true);
  for (const [index, active] of isActive.entries()) {
    if (!active) continue;
    longest = Math.max(longest, index - last - 1);
    last = index;
  }
  return longest;
}

function brightnessDb(samples: Float32Array, sampleRateHz: number): number {
  const smoothing = 1 - Math.exp((-2 * Math.PI * BRIGHT_ABOVE_HZ) / sampleRateHz);
  const highPass = (values: Float32Array) => {
    let low = 0;
    return values.map((value) => {
      low += smoothing * (value - low);
      return value - low;
    });
  };
  const power = (values: Float32Array) => mean(values.map((value) => value * value));
  return 10 * Math.log10(power(highPass(highPass(highPass(samples)))) / power(samples));
}

function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index]!;
  return sum / values.length;
}
