import type { Pcm } from '../../../src/audio/pcm.ts';

/** Speech of a project that is compared, and its cost. */
export interface PeerResult {
  /** Time from the call to the first samples, or to the first audible byte over HTTP. */
  readonly firstSamplesMs: number;
  /** CPU time of all of its processes. */
  readonly cpuSeconds: number;
  readonly audioSeconds: number;
  readonly audio: Pcm;
}

/** The peer cannot be installed or loaded on this machine. */
export class PeerUnavailableError extends Error {
  override readonly name = 'PeerUnavailableError';
}
