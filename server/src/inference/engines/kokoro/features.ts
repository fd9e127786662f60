/** Samples at 24 kHz per frame of aligned features; 40 frames per second. */
export const SAMPLES_PER_FRAME = 600;
export const FRAMES_PER_SECOND = 40;
export const SAMPLE_RATE_HZ = 24000;
/** Rows of the aligned text features. */
export const FEATURE_ROWS = 512;

/** Acoustic features of one utterance: output of the front and, with the style, input of a decoder. */
export interface Features {
  readonly frames: number;
  /** Aligned text features, `FEATURE_ROWS` rows of `frames` values. */
  readonly asr: Float32Array;
  /** Pitch in Hz, two values per frame; below 10 is unvoiced. */
  readonly f0: Float32Array;
  /** Energy, two values per frame. */
  readonly energy: Float32Array;
}

/** Frames `[from, to)`; frames outside the utterance are zeros, as in the training of both decoders. */
export function sliceFeatures(features: Features, from: number, to: number): Features {
  const frames = to - from;
  const first = Math.max(0, from);
  const last = Math.min(features.frames, to);
  const asr = new Float32Array(FEATURE_ROWS * frames);
  for (let row = 0; row < FEATURE_ROWS; row++) {
    const source = row * features.frames;
    asr.set(features.asr.subarray(source + first, source + last), row * frames + first - from);
  }
  return {
    frames,
    asr,
    f0: slicePairs(features.f0, { from, frames, first, last }),
    energy: slicePairs(features.energy, { from, frames, first, last }),
  };
}

function slicePairs(
  values: Float32Array,
  range: { from: number; frames: number; first: number; last: number },
): Float32Array {
  const out = new Float32Array(2 * range.frames);
  out.set(values.subarray(2 * range.first, 2 * range.last), 2 * (range.first - range.from));
  return out;
}
