/**
 * Layout of the measures of a voice: two speaker embeddings of unit length (x-vector and d-vector), the long-term
 * spectrum in 40 mel bands (log10, mean removed), the median of log2 of the pitch in Hz and its range in octaves.
 */
export const MEASURES = {
  xVector: { from: 0, to: 128 },
  dVector: { from: 128, to: 384 },
  spectrum: { from: 384, to: 424 },
  pitch: { from: 424, to: 425 },
  pitchRange: { from: 425, to: 426 },
  count: 426,
} as const;

/** Sample rate of the measurement. */
export const MEASURED_RATE_HZ = 16_000;

/** A range of the measures. */
export interface MeasureGroup {
  readonly from: number;
  readonly to: number;
}

/** Cosine similarity of two voices in one of the embeddings. */
export function similarity(a: Float32Array, b: Float32Array, group: MeasureGroup): number {
  let product = 0;
  let squareA = 0;
  let squareB = 0;
  for (let index = group.from; index < group.to; index++) {
    product += a[index]! * b[index]!;
    squareA += a[index]! ** 2;
    squareB += b[index]! ** 2;
  }
  return product / Math.sqrt(squareA * squareB || 1);
}
