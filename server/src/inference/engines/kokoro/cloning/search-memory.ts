import { totalmem } from 'node:os';

const AMPLE_FROM_BYTES = 3 * 2 ** 30;

/**
 * Whether the machine or the container has memory for a second thread of gradients and for ECAPA-TDNN, with which a search
 * takes up to 1.5 instead of 0.7 GB.
 */
export function isMemoryAmple(): boolean {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) >= AMPLE_FROM_BYTES;
}
