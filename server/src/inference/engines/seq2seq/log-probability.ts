/** Index of the largest value. */
export function argMax(values: Float32Array): number {
  let best = 0;
  for (let index = 1; index < values.length; index++) {
    if (values[index]! > values[best]!) best = index;
  }
  return best;
}

/** Log-sum-exp: the log probability of a logit is the logit minus this value. */
export function logSumExp(values: Float32Array, from = 0, to = values.length): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let index = from; index < to; index++) largest = Math.max(largest, values[index]!);
  if (largest === Number.NEGATIVE_INFINITY) return largest;
  let sum = 0;
  for (let index = from; index < to; index++) sum += Math.exp(values[index]! - largest);
  return largest + Math.log(sum);
}
