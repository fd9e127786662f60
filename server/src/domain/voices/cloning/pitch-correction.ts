import type { PitchCorrection } from '../../engines/tts-engine.ts';
import type { VoiceTraits } from '../../engines/voice-encoder.ts';

/**
 * Relative pitch error that is tolerated. Two recordings of one speaker differ by as much, and a correction costs some
 * audio quality and CPU.
 */
const PITCH_TOLERANCE = 0.02;
/** Larger factors make the voice sound unnatural. */
const PITCH_FACTOR_MAX = 1.25;
/** Above this pitch range the pitch jumps between sentences. The range is then reduced to a typical one. */
const JUMPING_OCTAVES = 0.3;
const TYPICAL_OCTAVES = 0.2;
const RANGE_MIN = 0.5;

/** The correction of the pitch contour for a target pitch; undefined when none is needed. */
export function computePitchCorrection(
  { pitchHz, pitchRangeOctaves }: Pick<VoiceTraits, 'pitchHz' | 'pitchRangeOctaves'>,
  targetHz: number,
): PitchCorrection | undefined {
  const factor = targetHz / pitchHz;
  const isJumping = pitchRangeOctaves > JUMPING_OCTAVES;
  if (!isJumping && Math.abs(factor - 1) <= PITCH_TOLERANCE) return undefined;
  return {
    middleHz: pitchHz,
    pitchFactor: Math.min(PITCH_FACTOR_MAX, Math.max(1 / PITCH_FACTOR_MAX, factor)),
    range: isJumping ? Math.max(RANGE_MIN, TYPICAL_OCTAVES / pitchRangeOctaves) : 1,
  };
}
