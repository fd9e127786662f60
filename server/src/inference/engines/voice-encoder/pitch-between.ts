import type { Trial } from '../../../domain/engines/voice-encoder.ts';
import { MEASURES } from './measures.ts';

/** Trials less apart than this, in octaves, do not tell how pitch follows the vector. */
const APART_OCTAVES = 0.04;
/** How far beyond the second trial to go at most, as a share of the way to it. */
const REACH = 1.5;

/**
 * The vector on the line through two trials that should have the pitch of the target: the logarithm of pitch follows
 * the vector along a line. Undefined when the trials are too alike to tell, or on one side and far away.
 */
export function pitchBetween(target: Float32Array, trial: Trial, other: Trial): Float32Array | undefined {
  const pitchOf = (measures: Float32Array) => measures[MEASURES.pitch.from]!;
  const apart = pitchOf(other.measures) - pitchOf(trial.measures);
  if (Math.abs(apart) < APART_OCTAVES) return undefined;
  const share = (pitchOf(target) - pitchOf(trial.measures)) / apart;
  if (share < -REACH || share > REACH) return undefined;
  return trial.vector.map((value, index) => value + share * (other.vector[index]! - value));
}
