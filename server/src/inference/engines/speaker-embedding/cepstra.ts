import { Fft } from '../../../audio/dsp/fft.ts';
import { CEPSTRA_PER_FRAME } from './x-vector-graph.ts';

/** Sample rate of the x-vector network. */
export const X_VECTOR_RATE_HZ = 8000;

const FRAME_SAMPLES = 200;
const HOP_SAMPLES = 80;
/** Distance of two frames. */
export const CEPSTRA_HOP_SECONDS = HOP_SAMPLES / X_VECTOR_RATE_HZ;
const FFT_SIZE = 256;
const FILTERS = 23;
const LOW_HZ = 20;
const HIGH_HZ = 3700;
const PRE_EMPHASIS = 0.97;
/** Window of the sliding mean, in frames. */
const MEAN_FRAMES = 300;
/** Kaldi works on the scale of 16-bit samples. */
const SAMPLE_SCALE = 32768;

const FFT = new Fft(FFT_SIZE);

const mel = (hz: number) => 1127 * Math.log(1 + hz / 700);

/** Povey window: a Hann window to the power of 0.85. */
const WINDOW = Float64Array.from(
  { length: FRAME_SAMPLES },
  (_, i) => (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (FRAME_SAMPLES - 1))) ** 0.85,
);

/** Triangular mel filters over the bins below the Nyquist frequency, each without the zeros on both sides. */
const MEL_FILTERS = Array.from({ length: FILTERS }, (_, filter) => {
  const step = (mel(HIGH_HZ) - mel(LOW_HZ)) / (FILTERS + 1);
  const left = mel(LOW_HZ) + filter * step;
  const weights = Float64Array.from({ length: FFT_SIZE / 2 }, (_, bin) => {
    const at = mel((bin * X_VECTOR_RATE_HZ) / FFT_SIZE);
    return Math.max(0, Math.min((at - left) / step, (left + 2 * step - at) / step));
  });
  const firstBin = weights.findIndex((weight) => weight > 0);
  const lastBin = weights.findLastIndex((weight) => weight > 0);
  return { firstBin, weights: weights.subarray(firstBin, lastBin + 1) };
});

/** Discrete cosine transform with Kaldi's liftering. */
const COSINES = Array.from({ length: CEPSTRA_PER_FRAME }, (_, k) =>
  Float64Array.from(
    { length: FILTERS },
    (_, n) =>
      (1 + 11 * Math.sin((Math.PI * k) / 22)) *
      Math.sqrt(2 / FILTERS) *
      Math.cos((Math.PI / FILTERS) * (n + 0.5) * k),
  ),
);

/** Cepstra of the frames with speech, frame by frame. */
export interface SpeechCepstra {
  readonly values: Float32Array;
  /** Number of each frame among all frames of the audio. */
  readonly positions: readonly number[];
}

/** The mean-normalised cepstra of the frames with speech. */
export function extractSpeechCepstra(samples: Float32Array): SpeechCepstra {
  const { frames, values, energies } = extractCepstra(samples);
  const centred = subtractSlidingMean(values, frames);
  const positions = selectSpeechFrames(energies);
  const kept = new Float32Array(positions.length * CEPSTRA_PER_FRAME);
  positions.forEach((frame, index) => {
    const from = frame * CEPSTRA_PER_FRAME;
    kept.set(centred.subarray(from, from + CEPSTRA_PER_FRAME), index * CEPSTRA_PER_FRAME);
  });
  return { values: kept, positions };
}

function extractCepstra(samples: Float32Array): {
  readonly frames: number;
  readonly values: Float32Array;
  readonly energies: Float64Array;
} {
  const frames = Math.max(0, 1 + Math.floor((samples.length - FRAME_SAMPLES) / HOP_SAMPLES));
  const values = new Float32Array(frames * CEPSTRA_PER_FRAME);
  const energies = new Float64Array(frames);
  const real = new Float64Array(FFT_SIZE);
  const imaginary = new Float64Array(FFT_SIZE);
  const logMel = new Float64Array(FILTERS);
  for (let frame = 0; frame < frames; frame++) {
    const energy = windowed(samples.subarray(frame * HOP_SAMPLES), real);
    imaginary.fill(0);
    FFT.transform(real, imaginary);
    for (let bin = 0; bin < FFT_SIZE / 2; bin++) real[bin] = real[bin]! ** 2 + imaginary[bin]! ** 2;
    for (let filter = 0; filter < FILTERS; filter++) {
      const { firstBin, weights } = MEL_FILTERS[filter]!;
      logMel[filter] = Math.log(Math.max(dotProduct(weights, real, firstBin), 1.19e-7));
    }
    energies[frame] = energy;
    values[frame * CEPSTRA_PER_FRAME] = energy;
    for (let k = 1; k < CEPSTRA_PER_FRAME; k++)
      values[frame * CEPSTRA_PER_FRAME + k] = dotProduct(COSINES[k]!, logMel, 0);
  }
  return { frames, values, energies };
}

function dotProduct(weights: Float64Array, values: Float64Array, from: number): number {
  let sum = 0;
  for (let index = 0; index < weights.length; index++) sum += weights[index]! * values[from + index]!;
  return sum;
}

/** Writes one windowed frame to `real` and returns its log energy. */
function windowed(samples: Float32Array, real: Float64Array): number {
  let mean = 0;
  for (let i = 0; i < FRAME_SAMPLES; i++) mean += (samples[i]! * SAMPLE_SCALE) / FRAME_SAMPLES;
  let power = 0;
  let previous = samples[0]! * SAMPLE_SCALE - mean;
  real.fill(0);
  for (let i = 0; i < FRAME_SAMPLES; i++) {
    const value = samples[i]! * SAMPLE_SCALE - mean;
    power += value ** 2;
    real[i] = (value - PRE_EMPHASIS * previous) * WINDOW[i]!;
    previous = value;
  }
  return Math.log(Math.max(power, 1e-10));
}

function subtractSlidingMean(values: Float32Array, frames: number): Float32Array {
  const sums = new Float64Array((frames + 1) * CEPSTRA_PER_FRAME);
  for (let i = 0; i < values.length; i++) sums[i + CEPSTRA_PER_FRAME] = sums[i]! + values[i]!;
  return values.map((value, i) => {
    const frame = Math.floor(i / CEPSTRA_PER_FRAME);
    const k = i % CEPSTRA_PER_FRAME;
    const from = Math.max(0, Math.min(frame - MEAN_FRAMES / 2, frames - MEAN_FRAMES));
    const to = Math.min(frames, from + MEAN_FRAMES);
    const sum = sums[to * CEPSTRA_PER_FRAME + k]! - sums[from * CEPSTRA_PER_FRAME + k]!;
    return value - sum / (to - from);
  });
}

/** Kaldi's energy-based VAD: frames near loud frames, or all frames if 50 or fewer qualify. */
function selectSpeechFrames(energies: Float64Array): number[] {
  const threshold = 5.5 + (0.5 * energies.reduce((sum, energy) => sum + energy, 0)) / energies.length;
  const all = [...energies.keys()];
  const speech = all.filter((frame) => {
    const [from, to] = [Math.max(0, frame - 2), Math.min(energies.length, frame + 3)];
    let loud = 0;
    for (let near = from; near < to; near++) if (energies[near]! > threshold) loud++;
    return loud / (to - from) >= 0.12;
  });
  return speech.length > 50 ? speech : all;
}
