import type { PitchCorrection } from '../../engines/tts-engine.ts';
import type { VoiceTraits } from '../../engines/voice-encoder.ts';

/**
 * A voice this much too high or too low is corrected behind the engine; less is within what two talks of a person differ
 * by, and correcting costs a little of the sound and of the machine.
 */
const PITCH_TOLERANCE = 0.02;
/** Beyond this a voice would no longer sound like one. */
const PITCH_FACTOR_MAX = 1.25;
/** A voice whose pitch moves further says one sentence high and the next one low. It is held to what is usual. */
const LEAPING_OCTAVES = 0.3;
const USUAL_OCTAVES = 0.2;
const RANGE_MIN = 0.5;

/** What is done behind the engine to the melody of a voice that should be as high as this; undefined for nothing. */
export function melodyCorrection(
  { pitchHz, melodyOctaves }: Pick<VoiceTraits, 'pitchHz' | 'melodyOctaves'>,
  wantedHz: number,
): PitchCorrection | undefined {
  const factor = wantedHz / pitchHz;
  const isLeaping = melodyOctaves > LEAPING_OCTAVES;
  if (!isLeaping && Math.abs(factor - 1) <= PITCH_TOLERANCE) return undefined;
  return {
    middleHz: pitchHz,
    pitchFactor: Math.min(PITCH_FACTOR_MAX, Math.max(1 / PITCH_FACTOR_MAX, factor)),
    range: isLeaping ? Math.max(RANGE_MIN, USUAL_OCTAVES / melodyOctaves) : 1,
  };
}
