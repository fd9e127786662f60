/** The attention of one token over the frames, for each alignment head. */
export type AttentionRow = readonly Float32Array[];

const MEDIAN_FRAMES = 7;

/**
 * The first frame of each token. As in Whisper's word timing, the attention of each head is standardised and
 * median-filtered, the heads are averaged, and dynamic time warping finds a monotonic path.
 */
export function alignTokens(rows: readonly AttentionRow[], frames: number): number[] {
  const heads = rows[0]?.length ?? 0;
  if (heads === 0 || frames === 0) return rows.map(() => 0);
  const matrix = rows.map(() => new Float64Array(frames));
  for (let head = 0; head < heads; head++) {
    const scaled = standardise(
      rows.map((row) => row[head]!),
      frames,
    );
    for (const [token, values] of scaled.entries()) {
      const smooth = medianFilter(values);
      const sum = matrix[token]!;
      for (let frame = 0; frame < frames; frame++) sum[frame]! += smooth[frame]! / heads;
    }
  }
  return warp(matrix, frames);
}

/** Standardises each frame over the tokens, so that frames to which all tokens attend have no influence. */
function standardise(rows: readonly Float32Array[], frames: number): Float64Array[] {
  const out = rows.map(() => new Float64Array(frames));
  for (let frame = 0; frame < frames; frame++) {
    let sum = 0;
    let squares = 0;
    for (const row of rows) {
      sum += row[frame]!;
      squares += row[frame]! ** 2;
    }
    const mean = sum / rows.length;
    const deviation = Math.sqrt(Math.max(0, squares / rows.length - mean * mean)) || 1;
    for (const [token, row] of rows.entries()) out[token]![frame] = (row[frame]! - mean) / deviation;
  }
  return out;
}

/**
 * Median filter. It runs for every token of every head, so the window is kept sorted as it moves instead of being
 * sorted each time.
 */
function medianFilter(values: Float64Array): Float64Array {
  const half = MEDIAN_FRAMES >> 1;
  const out = new Float64Array(values.length);
  const window = new Float64Array(MEDIAN_FRAMES);
  for (let offset = -half; offset <= half; offset++) {
    window[offset + half] = values[mirror(offset, values.length)]!;
  }
  window.sort();
  out[0] = window[half]!;
  for (let index = 1; index < values.length; index++) {
    const leaving = values[mirror(index - half - 1, values.length)]!;
    const coming = values[mirror(index + half, values.length)]!;
    replaceInOrder(window, leaving, coming);
    out[index] = window[half]!;
  }
  return out;
}

/** Replaces one value in a sorted array by another and restores the order. */
function replaceInOrder(ordered: Float64Array, leaving: number, coming: number): void {
  let at = 0;
  while (at < ordered.length - 1 && ordered[at] !== leaving) at++;
  for (; at > 0 && ordered[at - 1]! > coming; at--) ordered[at] = ordered[at - 1]!;
  for (; at < ordered.length - 1 && ordered[at + 1]! < coming; at++) ordered[at] = ordered[at + 1]!;
  ordered[at] = coming;
}

function mirror(index: number, length: number): number {
  if (index < 0) return Math.min(-index, length - 1);
  return index < length ? index : Math.max(0, 2 * length - 2 - index);
}

/** Dynamic time warping: the path from the first token and frame to the last with the largest sum. */
function warp(matrix: readonly Float64Array[], frames: number): number[] {
  const tokens = matrix.length;
  const STAY = 0; // the same token, the next frame
  const NEXT = 1; // the next token, the next frame
  const SKIP = 2; // the next token, the same frame
  const steps = new Uint8Array(tokens * frames);
  let above = new Float64Array(frames);
  for (let token = 0; token < tokens; token++) {
    const row = matrix[token]!;
    const best = new Float64Array(frames);
    for (let frame = 0; frame < frames; frame++) {
      const stay = frame > 0 ? best[frame - 1]! : Number.NEGATIVE_INFINITY;
      const next = token > 0 && frame > 0 ? above[frame - 1]! : Number.NEGATIVE_INFINITY;
      const skip = token > 0 ? above[frame]! : Number.NEGATIVE_INFINITY;
      const isStart = token === 0 && frame === 0;
      const largest = isStart ? 0 : Math.max(stay, next, skip);
      steps[token * frames + frame] = largest === next ? NEXT : largest === stay ? STAY : SKIP;
      best[frame] = largest + row[frame]!;
    }
    above = best;
  }
  const starts = new Array<number>(tokens).fill(0);
  let frame = frames - 1;
  for (let token = tokens - 1; token > 0; ) {
    const step = steps[token * frames + frame]!;
    if (step === STAY && frame > 0) {
      frame--;
      continue;
    }
    starts[token] = frame;
    token--;
    if (step === NEXT) frame--;
  }
  return starts;
}
