import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fft } from '../../../audio/dsp/fft.ts';

/** Sample rate of the analysis. */
export const ANALYSIS_RATE_HZ = 16000;
export const HOP_SECONDS = 0.02;
export const CEPSTRA = 12;

const HOP = ANALYSIS_RATE_HZ * HOP_SECONDS;
const WINDOW = 640;
const FFT_SIZE = 1024;
export const BINS = FFT_SIZE / 2;
export const BIN_HZ = ANALYSIS_RATE_HZ / FFT_SIZE;

// Below this frequency there is hum and little speech.
const LOWEST_HZ = 90;
const MEL_BANDS = 24;
const MIN_PITCH_HZ = 70;
const MAX_PITCH_HZ = 400;
const PITCH_BIN_MAX = Math.round(2500 / BIN_HZ);

/** Minimum normalized autocorrelation of a voiced frame; a periodic frame has 1. */
const VOICED_CORRELATION = 0.5;
const POWER_FLOOR = 1e-12;
const FRAMES_PER_TURN = 100;

/** Measures of the frames of a clip. */
export interface ClipFrames {
  readonly count: number;
  /** Mean power in dBFS. */
  readonly levelDb: Float32Array;
  /** 0 for unvoiced frames. */
  readonly pitchHz: Float32Array;
  /** `CEPSTRA` mel-frequency cepstral coefficients per frame, without the level. */
  readonly cepstra: Float32Array;
  /** Number of partials per frame with a constant frequency over the last 240 ms. */
  readonly steadyPartials: Uint8Array;
  /** The power spectrum of each frame, in dB, in bands of 250 Hz. */
  readonly bandsDb: Float32Array;
}

export const BAND_HZ = 250;
export const BANDS = ANALYSIS_RATE_HZ / 2 / BAND_HZ;

/** A partial with a constant frequency for this long is a note. */
const STEADY_FRAMES = 12;
const PARTIAL_DB = 12;
const PARTIAL_MAX_HZ = 4000;

/** Measures a clip. Yields to the event loop every `FRAMES_PER_TURN` frames. */
export async function measureFrames(samples16k: Float32Array, signal?: AbortSignal): Promise<ClipFrames> {
  const count = Math.max(0, Math.floor((samples16k.length - WINDOW) / HOP) + 1);
  const frames = {
    count,
    levelDb: new Float32Array(count),
    pitchHz: new Float32Array(count),
    cepstra: new Float32Array(count * CEPSTRA),
    steadyPartials: new Uint8Array(count),
    bandsDb: new Float32Array(count * BANDS),
  };
  const transform = new PairTransform();
  const ages = new Uint8Array(BINS);
  for (let frame = 0; frame < count; frame += 2) {
    const windowOf = (at: number) => samples16k.subarray(at * HOP, at * HOP + WINDOW);
    transform.measure(windowOf(frame), windowOf(Math.min(frame + 1, count - 1)));
    for (let offset = 0; offset < 2 && frame + offset < count; offset++) {
      const [at, power] = [frame + offset, transform.powers[offset]!];
      frames.levelDb[at] = levelOf(power);
      fillBands(frames.bandsDb, at * BANDS, power);
      fillCepstra(frames.cepstra, at * CEPSTRA, power);
      frames.steadyPartials[at] = countSteady(power, ages);
      frames.pitchHz[at] = transform.pitchesHz[offset]!;
    }
    if (frame % FRAMES_PER_TURN === FRAMES_PER_TURN - 2) {
      await nextTurn();
      signal?.throwIfAborted();
    }
  }
  return frames;
}

/** Power spectra and pitches of two windows at a time: the second window is the imaginary part of a complex transform. */
class PairTransform {
  readonly powers = [new Float64Array(BINS + 1), new Float64Array(BINS + 1)] as const;
  /** 0 for an unvoiced window. */
  readonly pitchesHz = new Float32Array(2);
  readonly #fft = new Fft(FFT_SIZE);
  readonly #real = new Float64Array(FFT_SIZE);
  readonly #imaginary = new Float64Array(FFT_SIZE);

  measure(first: Float32Array, second: Float32Array): void {
    const isFirstSilent = isSilent(first);
    const isSecondSilent = isSilent(second);
    // Digital silence, of which a recording may hold hours, needs no transform.
    if (!isFirstSilent || !isSecondSilent) {
      this.#fillPowers(first, second);
      this.#fillPitches();
    }
    // Beside another window, digital silence has the rounding errors of that window.
    if (isFirstSilent) this.#clear(0);
    if (isSecondSilent) this.#clear(1);
  }

  #clear(index: 0 | 1): void {
    this.powers[index].fill(0);
    this.pitchesHz[index] = 0;
  }

  #fillPowers(first: Float32Array, second: Float32Array): void {
    const [firstPower, secondPower] = this.powers;
    const real = this.#real;
    const imaginary = this.#imaginary;
    fillWindow(real, first);
    fillWindow(imaginary, second);
    this.#fft.transform(real, imaginary);
    for (let bin = 0; bin <= BINS; bin++) {
      const mirrored = bin === 0 ? 0 : FFT_SIZE - bin;
      const a = real[bin] as number;
      const b = imaginary[bin] as number;
      const c = real[mirrored] as number;
      const d = imaginary[mirrored] as number;
      firstPower[bin] = ((a + c) ** 2 + (b - d) ** 2) / 4;
      secondPower[bin] = ((b + d) ** 2 + (c - a) ** 2) / 4;
    }
  }

  #fillPitches(): void {
    // The transform of a power spectrum is the autocorrelation, which is real and even.
    fillEven(this.#real, this.powers[0]);
    fillEven(this.#imaginary, this.powers[1]);
    this.#fft.transform(this.#real, this.#imaginary);
    this.pitchesHz[0] = pitchOf(this.#real);
    this.pitchesHz[1] = pitchOf(this.#imaginary);
  }
}

function isSilent(window: Float32Array): boolean {
  return window.every((sample) => sample === 0);
}

function fillWindow(values: Float64Array, window: Float32Array): void {
  for (let i = 0; i < WINDOW; i++) values[i] = (window[i] as number) * (HANN[i] as number);
  values.fill(0, WINDOW);
}

/** The part of a power spectrum with the pitch and its partials, with its mirror image. */
function fillEven(values: Float64Array, power: Float64Array): void {
  values.fill(0);
  for (let bin = 4; bin <= PITCH_BIN_MAX; bin++) {
    values[bin] = power[bin] as number;
    values[FFT_SIZE - bin] = power[bin] as number;
  }
}

const HANN = Float64Array.from(
  { length: WINDOW },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / WINDOW),
);

/** Normalization: a full-scale sine is at -3 dB. */
const WINDOW_POWER = (HANN.reduce((sum, weight) => sum + weight * weight, 0) * FFT_SIZE) / 2;

function levelOf(power: Float64Array): number {
  let sum = 0;
  for (let bin = Math.ceil(LOWEST_HZ / BIN_HZ); bin <= BINS; bin++) sum += power[bin] as number;
  return toDb(sum / WINDOW_POWER);
}

function fillBands(target: Float32Array, offset: number, power: Float64Array): void {
  for (let band = 0; band < BANDS; band++) {
    const from = Math.round((band * BAND_HZ) / BIN_HZ);
    const to = Math.round(((band + 1) * BAND_HZ) / BIN_HZ);
    let sum = 0;
    for (let bin = from; bin < to; bin++) sum += power[bin] as number;
    target[offset + band] = toDb(sum / WINDOW_POWER);
  }
}

function toDb(power: number): number {
  return 10 * Math.log10(power + POWER_FLOOR);
}

const mel = (hz: number) => 1127 * Math.log1p(hz / 700);
const melHz = (value: number) => 700 * Math.expm1(value / 1127);

/** Edges of overlapping bands of equal width in mel, in bins. */
const MEL_EDGES = Float64Array.from({ length: MEL_BANDS + 2 }, (_, i) => {
  const low = mel(LOWEST_HZ);
  return melHz(low + ((mel(ANALYSIS_RATE_HZ / 2) - low) * i) / (MEL_BANDS + 1)) / BIN_HZ;
});
const DCT = Array.from({ length: CEPSTRA }, (_, row) =>
  Float64Array.from({ length: MEL_BANDS }, (_, band) =>
    Math.cos((Math.PI * (row + 1) * (band + 0.5)) / MEL_BANDS),
  ),
);
const logMel = new Float64Array(MEL_BANDS);

function fillCepstra(target: Float32Array, offset: number, power: Float64Array): void {
  for (let band = 0; band < MEL_BANDS; band++) {
    const from = MEL_EDGES[band] as number;
    const middle = MEL_EDGES[band + 1] as number;
    const to = MEL_EDGES[band + 2] as number;
    let sum = 0;
    for (let bin = Math.ceil(from); bin < to; bin++) {
      const weight = bin < middle ? (bin - from) / (middle - from) : (to - bin) / (to - middle);
      sum += weight * (power[bin] as number);
    }
    logMel[band] = Math.log(sum + POWER_FLOOR);
  }
  for (let row = 0; row < CEPSTRA; row++) {
    let sum = 0;
    for (let band = 0; band < MEL_BANDS; band++)
      sum += (DCT[row]?.[band] as number) * (logMel[band] as number);
    target[offset + row] = sum / MEL_BANDS;
  }
}

/** Counts partials that stay in one bin for `STEADY_FRAMES`. `ages` has the age of each partial and is updated. */
function countSteady(power: Float64Array, ages: Uint8Array): number {
  const ratio = 10 ** (PARTIAL_DB / 10);
  const last = PARTIAL_MAX_HZ / BIN_HZ;
  let steady = 0;
  for (let bin = 6; bin < last; bin++) {
    const here = power[bin] as number;
    const isPeak = here >= (power[bin - 1] as number) && here > (power[bin + 1] as number);
    const around = ((power[bin - 4] as number) + (power[bin + 4] as number)) / 2;
    ages[bin] = isPeak && here > 1e-6 && here > ratio * around ? Math.min(255, (ages[bin] as number) + 1) : 0;
    if ((ages[bin] as number) >= STEADY_FRAMES) steady++;
  }
  return Math.min(255, steady);
}

/** The pitch of an autocorrelation; 0 for an unvoiced frame. */
function pitchOf(correlations: Float64Array): number {
  const energy = correlations[0] as number;
  if (energy <= POWER_FLOOR) return 0;
  let best = 0;
  let bestLag = 0;
  for (let lag = Math.floor(ANALYSIS_RATE_HZ / MAX_PITCH_HZ); lag <= ANALYSIS_RATE_HZ / MIN_PITCH_HZ; lag++) {
    const correlation = (correlations[lag] as number) / (energy * (WINDOW_CORRELATION[lag] as number));
    // Multiples of the period correlate equally; the shortest lag must win.
    if (correlation > best + 0.02) {
      best = correlation;
      bestLag = lag;
    }
  }
  return best >= VOICED_CORRELATION ? ANALYSIS_RATE_HZ / bestLag : 0;
}

/** Autocorrelation of the window by lag. */
const WINDOW_CORRELATION = Float64Array.from({ length: ANALYSIS_RATE_HZ / MIN_PITCH_HZ + 2 }, (_, lag) => {
  let sum = 0;
  let total = 0;
  for (let i = 0; i < WINDOW; i++) {
    total += (HANN[i] as number) ** 2;
    if (i + lag < WINDOW) sum += (HANN[i] as number) * (HANN[i + lag] as number);
  }
  return sum / total;
});
