import type { VoiceTrial } from '../../../domain/engines/voice-encoder.ts';
import { MEASURES } from './measures.ts';

/** Minimum pitch difference of the trials; closer trials do not determine the slope. */
const SEPARATION_MIN_OCTAVES = 0.04;
/** Limit of the extrapolation, as a multiple of the distance between the trials. */
const EXTRAPOLATION_MAX = 1.5;

/**
 * The vector on the line through two trials with the predicted pitch of the target; log pitch is linear in the
 * vector. Undefined when the trials are too close together or the target is too far beyond them.
 */
export function interpolatePitch(
  target: Float32Array,
  trial: VoiceTrial,
  other: VoiceTrial,
): Float32Array | undefined {
  const pitchOf = (measures: Float32Array) => measures[MEASURES.pitch.from]!;
  const separation = pitchOf(other.measures) - pitchOf(trial.measures);
  if (Math.abs(separation) < SEPARATION_MIN_OCTAVES) return undefined;
  const share = (pitchOf(target) - pitchOf(trial.measures)) / separation;
  if (share < -EXTRAPOLATION_MAX || share > EXTRAPOLATION_MAX) return undefined;
  return trial.vector.map((value, index) => value + share * (other.vector[index]! - value));
}
