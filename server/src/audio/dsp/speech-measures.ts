import { trackPitch } from './pitch-track.ts';

/** What can be measured of how something is said. */
export interface SpeechMeasures {
  readonly seconds: number;
  /** Median of the voiced windows; NaN without any. */
  readonly pitchHz: number;
  /**
   * From the mean of the tenth to thirtieth percentile of the pitch to that of the seventieth to ninetieth. Single
   * percentiles jump where a melody has few pitches between high and low.
   */
  readonly rangeSemitones: number;
  /** Root mean square of what is not silent, against full scale. */
  readonly levelDb: number;
  /** Energy above 2.5 kHz against that of all. */
  readonly brightnessDb: number;
  /** Share of the sounding windows that have a pitch. */
  readonly voicedShare: number;
  /** Longest silence between two sounds. */
  readonly longestPauseSeconds: number;
}

const HOP_SECONDS = 0.01;
/** Quieter than this below the loudest window is silence. */
const SILENCE = 1e-3;
/** Further from the middle are creaks, and octaves that were misheard. */
const MELODY_SEMITONES_MAX = 12;
const BRIGHT_ABOVE_HZ = 2500;

/** Measures a stretch of speech. */
export function measureSpeech(samples: Float32Array, sampleRateHz: number): SpeechMeasures {
  const { pitchHz } = trackPitch(samples, sampleRateHz, { hopSeconds: HOP_SECONDS });
  const voiced = pitchHz.filter((hz) => hz > 0).sort();
  const middleHz = voiced[Math.floor((voiced.length - 1) / 2)] ?? Number.NaN;
  const semitones = voiced.map((hz) => 12 * Math.log2(hz / middleHz));
  const melody = semitones.filter((semitone) => Math.abs(semitone) < MELODY_SEMITONES_MAX);
  const between = (from: number, to: number) =>
    mean(melody.subarray(Math.floor(from * melody.length), Math.ceil(to * melody.length)));
  const powers = windowPowers(samples, Math.round(HOP_SECONDS * sampleRateHz));
  const loudest = powers.reduce((max, power) => Math.max(max, power), 0);
  const isSound = powers.map((power) => power > SILENCE * loudest);
  const sounding = powers.filter((_, index) => isSound[index]);
  return {
    seconds: samples.length / sampleRateHz,
    pitchHz: middleHz,
    rangeSemitones: between(0.7, 0.9) - between(0.1, 0.3),
    levelDb: 10 * Math.log10(mean(sounding)),
    brightnessDb: brightnessDb(samples, sampleRateHz),
    voicedShare:
      pitchHz.filter((hz, index) => hz > 0 && isSound[index]).length / Math.max(1, sounding.length),
    longestPauseSeconds: longestGap(isSound) * HOP_SECONDS,
  };
}

function windowPowers(samples: Float32Array, length: number): number[] {
  const powers: number[] = [];
  for (let from = 0; from + length <= samples.length; from += length) {
    powers.push(mean(samples.subarray(from, from + length).map((sample) => sample * sample)));
  }
  return powers;
}

function longestGap(isSound: readonly boolean[]): number {
  let longest = 0;
  let last = isSound.indexOf(true);
  for (const [index, sounds] of isSound.entries()) {
    if (!sounds) continue;
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
