import { Fft } from '../../../audio/dsp/fft.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../../domain/engines/asr-engine.ts';
import { melFilters } from './mel-filters.ts';

export const MEL_BANDS = 80;
/** Samples from one frame to the next: 10 ms. */
export const HOP_SAMPLES = 160;
const WINDOW_SAMPLES = 400;
const BINS = WINDOW_SAMPLES / 2 + 1;
const POWER_MIN = 1e-10;
/** Dynamic range below the maximum, in powers of ten; lower values are clipped. */
const RANGE = 8;

const fft = new Fft(WINDOW_SAMPLES);
const filters = melFilters({
  bands: MEL_BANDS,
  transformLength: WINDOW_SAMPLES,
  sampleRateHz: ASR_SAMPLE_RATE_HZ,
});
const hann = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / WINDOW_SAMPLES),
);

/**
 * The log-mel spectrogram of Whisper's training, as bands x frames. The audio is padded with silence to `frames`
 * frames.
 */
export function logMel(samples: Float32Array, frames: number): Float32Array {
  const mel = new Float32Array(MEL_BANDS * frames);
  const audioFrames = Math.min(frames, Math.ceil((samples.length + WINDOW_SAMPLES / 2) / HOP_SAMPLES));
  const silence = Math.log10(POWER_MIN);
  let loudest = silence;
  mel.fill(silence);
  // Two real frames per complex FFT: the second is the imaginary part.
  for (let frame = 0; frame < audioFrames; frame += 2) {
    const spectra = computeTwoSpectra(samples, frame);
    for (let offset = 0; offset < 2 && frame + offset < audioFrames; offset++) {
      const power = spectra[offset]!;
      for (let band = 0; band < MEL_BANDS; band++) {
        const { firstBin, weights } = filters[band]!;
        let sum = 0;
        for (let bin = 0; bin < weights.length; bin++) sum += weights[bin]! * power[firstBin + bin]!;
        const level = Math.log10(Math.max(POWER_MIN, sum));
        mel[band * frames + frame + offset] = level;
        if (level > loudest) loudest = level;
      }
    }
  }
  const floor = loudest - RANGE;
  for (let index = 0; index < mel.length; index++) mel[index] = (Math.max(mel[index]!, floor) + 4) / 4;
  return mel;
}

const re = new Float64Array(WINDOW_SAMPLES);
const im = new Float64Array(WINDOW_SAMPLES);
const powers = [new Float64Array(BINS), new Float64Array(BINS)] as const;

function computeTwoSpectra(samples: Float32Array, frame: number): readonly Float64Array[] {
  for (let offset = 0; offset < 2; offset++) {
    const start = (frame + offset) * HOP_SAMPLES - WINDOW_SAMPLES / 2;
    const input = offset === 0 ? re : im;
    for (let index = 0; index < WINDOW_SAMPLES; index++) {
      // Reflection padding at the start.
      input[index] = hann[index]! * (samples[Math.abs(start + index)] ?? 0);
    }
  }
  fft.transform(re, im);
  for (let bin = 0; bin < BINS; bin++) {
    const mirrored = bin === 0 ? 0 : WINDOW_SAMPLES - bin;
    const [a, b, c, d] = [re[bin]!, im[bin]!, re[mirrored]!, im[mirrored]!];
    powers[0][bin] = ((a + c) ** 2 + (b - d) ** 2) / 4;
    powers[1][bin] = ((b + d) ** 2 + (c - a) ** 2) / 4;
  }
  return powers;
}
