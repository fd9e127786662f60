import { decibelsToFactor } from '../gain.ts';

/** Samples below this are silence, as for `SilenceTrimmer`. */
const SILENT_BELOW = decibelsToFactor(-50);

/** Number of silent samples at the end: about what `SilenceTrimmer` holds back. */
export function silentTailLength(samples: Float32Array): number {
  let active = samples.length;
  while (active > 0 && Math.abs(samples[active - 1]!) < SILENT_BELOW) active--;
  return samples.length - active;
}
