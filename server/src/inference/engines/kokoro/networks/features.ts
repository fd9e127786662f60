/** Samples at 24 kHz per frame of aligned features; 40 frames per second. */
export const SAMPLES_PER_FRAME = 600;
export const FRAMES_PER_SECOND = 40;
export const SAMPLE_RATE_HZ = 24000;
/** Text features of one token. */
export const FEATURE_ROWS = 512;

/** Token of a frame outside of the utterance. */
const NO_TOKEN = -1;

/** Acoustic features of one utterance: output of the front and, with the style, input of a decoder. */
export interface Features {
  readonly frames: number;
  /** Text features, `FEATURE_ROWS` values of each token. All frames of a token have the same. */
  readonly text: Float32Array;
  /** The token of each frame; `NO_TOKEN`: none, its text features are zeros. */
  readonly frameTokens: Int32Array;
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
  const frameTokens = new Int32Array(frames).fill(NO_TOKEN);
  frameTokens.set(features.frameTokens.subarray(first, last), first - from);
  return {
    frames,
    text: features.text,
    frameTokens,
    f0: slicePairs(features.f0, { from, frames, first, last }),
    energy: slicePairs(features.energy, { from, frames, first, last }),
  };
}

/** Text features of the frames, `FEATURE_ROWS` values of each. */
export function alignText({ frames, text, frameTokens }: Features): Float32Array {
  const aligned = new Float32Array(FEATURE_ROWS * frames);
  for (let frame = 0; frame < frames; frame++) {
    const token = frameTokens[frame]!;
    if (token === NO_TOKEN) continue;
    aligned.set(text.subarray(token * FEATURE_ROWS, (token + 1) * FEATURE_ROWS), frame * FEATURE_ROWS);
  }
  return aligned;
}

/** Text features of the frames in rows of `frames` values, as Kokoro's own networks have them. */
export function alignTextRows({ frames, text, frameTokens }: Features): Float32Array {
  const rows = new Float32Array(FEATURE_ROWS * frames);
  for (let frame = 0; frame < frames; frame++) {
    const token = frameTokens[frame]!;
    if (token === NO_TOKEN) continue;
    for (let row = 0; row < FEATURE_ROWS; row++)
      rows[row * frames + frame] = text[token * FEATURE_ROWS + row]!;
  }
  return rows;
}

/** The token of each frame. */
export function tokensOfFrames(tokenFrames: Int32Array): Int32Array {
  const frameTokens = new Int32Array(tokenFrames.reduce((sum, count) => sum + count, 0));
  let from = 0;
  for (let token = 0; token < tokenFrames.length; token++) {
    const to = from + tokenFrames[token]!;
    frameTokens.fill(token, from, to);
    from = to;
  }
  return frameTokens;
}

function slicePairs(
  values: Float32Array,
  range: { from: number; frames: number; first: number; last: number },
): Float32Array {
  const out = new Float32Array(2 * range.frames);
  out.set(values.subarray(2 * range.first, 2 * range.last), 2 * (range.first - range.from));
  return out;
}
