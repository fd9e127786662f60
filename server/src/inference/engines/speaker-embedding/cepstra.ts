import { CEPSTRA_PER_FRAME } from './x-vector-graph.ts';

/** Sample rate of the x-vector network. */
export const X_VECTOR_RATE_HZ = 8000;

const FRAME_SAMPLES = 200;
const HOP_SAMPLES = 80;
const FFT_SIZE = 256;
const FILTERS = 23;
const LOW_HZ = 20;
const HIGH_HZ = 3700;
const PRE_EMPHASIS = 0.97;
/** Window of the sliding mean, in frames. */
const MEAN_FRAMES = 300;
/** Kaldi works on the scale of 16-bit samples. */
const SAMPLE_SCALE = 32768;

const mel = (hz: number) => 1127 * Math.log(1 + hz / 700);

/** Povey window: a Hann window to the power of 0.85. */
const WINDOW = Float64Array.from(
  { length: FRAME_SAMPLES },
  (_, i) => (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (FRAME_SAMPLES - 1))) ** 0.85,
);

/** Triangular mel filters over the bins below the Nyquist frequency. */
const MEL_FILTERS = Array.from({ length: FILTERS }, (_, filter) => {
  const step = (mel(HIGH_HZ) - mel(LOW_HZ)) / (FILTERS + 1);
  const left = mel(LOW_HZ) + filter * step;
  return Float64Array.from({ length: FFT_SIZE / 2 }, (_, bin) => {
    const at = mel((bin * X_VECTOR_RATE_HZ) / FFT_SIZE);
    return Math.max(0, Math.min((at - left) / step, (left + 2 * step - at) / step));
  });
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

/** Cepstra, frame by frame. */
export interface Cepstra {
  readonly frames: number;
  readonly values: Float32Array;
}

/** The mean-normalised cepstra of the frames with speech. */
export function extractSpeechCepstra(samples: Float32Array): Cepstra {
  const { frames, values, energies } = extractCepstra(samples);
  const centred = subtractSlidingMean(values, frames);
  const speech = selectSpeechFrames(energies);
  const kept = new Float32Array(speech.length * CEPSTRA_PER_FRAME);
  speech.forEach((frame, index) => {
    const from = frame * CEPSTRA_PER_FRAME;
    kept.set(centred.subarray(from, from + CEPSTRA_PER_FRAME), index * CEPSTRA_PER_FRAME);
  });
  return { frames: speech.length, values: kept };
}

function extractCepstra(samples: Float32Array): Cepstra & { readonly energies: Float64Array } {
  const frames = Math.max(0, 1 + Math.floor((samples.length - FRAME_SAMPLES) / HOP_SAMPLES));
  const values = new Float32Array(frames * CEPSTRA_PER_FRAME);
  const energies = new Float64Array(frames);
  const real = new Float64Array(FFT_SIZE);
  const imaginary = new Float64Array(FFT_SIZE);
  for (let frame = 0; frame < frames; frame++) {
    const energy = windowed(samples.subarray(frame * HOP_SAMPLES), real);
    imaginary.fill(0);
    transform(real, imaginary);
    const logMel = MEL_FILTERS.map((filter) => {
      const sum = filter.reduce(
        (total, weight, bin) => total + weight * (real[bin]! ** 2 + imaginary[bin]! ** 2),
        0,
      );
      return Math.log(Math.max(sum, 1.19e-7));
    });
    energies[frame] = energy;
    values[frame * CEPSTRA_PER_FRAME] = energy;
    for (let k = 1; k < CEPSTRA_PER_FRAME; k++) {
      const sum = COSINES[k]!.reduce((total, weight, n) => total + weight * logMel[n]!, 0);
      values[frame * CEPSTRA_PER_FRAME + k] = sum;
    }
  }
  return { frames, values, energies };
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
    const near = energies.subarray(Math.max(0, frame - 2), frame + 3);
    return near.filter((energy) => energy > threshold).length / near.length >= 0.12;
  });
  return speech.length > 50 ? speech : all;
}

/** In-place FFT; the length is a power of two. */
function transform(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [real[i], real[j]] = [real[j]!, real[i]!];
      [imaginary[i], imaginary[j]] = [imaginary[j]!, imaginary[i]!];
    }
  }
  for (let length = 2; length <= size; length *= 2) {
    for (let k = 0; k < length / 2; k++) {
      const angle = (-2 * Math.PI * k) / length;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      for (let low = k; low < size; low += length) {
        const high = low + length / 2;
        const re = real[high]! * cos - imaginary[high]! * sin;
        const im = real[high]! * sin + imaginary[high]! * cos;
        real[high] = real[low]! - re;
        imaginary[high] = imaginary[low]! - im;
        real[low] = real[low]! + re;
        imaginary[low] = imaginary[low]! + im;
      }
    }
  }
}
