/** Quantile with linear interpolation; `share` is 0 to 1. NaN for no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const lower = sorted[Math.floor(position)] ?? Number.NaN;
  const upper = sorted[Math.ceil(position)] ?? Number.NaN;
  return lower + (upper - lower) * (position - Math.floor(position));
}

/** NaN for no values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The largest value. Minus infinity for no values. */
export function max(values: readonly number[]): number {
  return values.reduce((largest, value) => Math.max(largest, value), Number.NEGATIVE_INFINITY);
}

/** Largest distance of an element of a permutation from its original position. */
export function largestDisplacement(order: readonly number[]): number {
  return Math.max(0, ...order.map((original, position) => Math.abs(original - position)));
}
