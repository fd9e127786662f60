/** Values `[from, to)`; values outside of the array are zeros. */
export function sliceZeroPadded(values: Float32Array, from: number, to: number): Float32Array {
  if (from >= 0 && to <= values.length) return values.subarray(from, to);
  const out = new Float32Array(to - from);
  const first = Math.max(0, from);
  const last = Math.min(values.length, to);
  if (first < last) out.set(values.subarray(first, last), first - from);
  return out;
}
