import { SAMPLES_PER_FRAME } from '../networks/features.ts';
import { MelEnergies } from './mel-energies.ts';

/** Fitted to what the front predicts for speech of the official decoder. */
const SLOPE = 0.913;
const OFFSET = 0.992;
const NORM_MIN = 1e-5;

/** The front was trained with mel bands computed as if the sample rate were 16 kHz. */
const MEL_OPTIONS = {
  window: 1200,
  transform: 2048,
  hop: SAMPLES_PER_FRAME / 2,
  sampleRateHz: 16_000,
  bands: 80,
} as const;

/** Energy of speech at 24 kHz, two values per frame as the front predicts it. */
export function recordedEnergy(samples: Float32Array): Float32Array {
  const rows = new MelEnergies(MEL_OPTIONS).rows(samples);
  return Float32Array.from(rows, (row) => SLOPE * Math.log(Math.max(NORM_MIN, Math.hypot(...row))) + OFFSET);
}
