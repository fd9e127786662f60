import { decibelsToFactor } from './gain.ts';

/** Samples below this are silence. */
const QUIET_BELOW = decibelsToFactor(-50);

/** Number of samples of silence at the end. */
export function quietTailLength(samples: Float32Array): number {
  let active = samples.length;
  while (active > 0 && Math.abs(samples[active - 1]!) < QUIET_BELOW) active--;
  return samples.length - active;
}
