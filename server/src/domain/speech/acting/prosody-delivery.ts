import type { Prosody } from '../../../text/piece.ts';
import type { Delivery } from '../../engines/delivery.ts';

/** Deliveries of the SSML emphasis levels. */
export const EMPHASIS: Readonly<Record<NonNullable<Prosody['emphasis']>, Partial<Delivery>>> = {
  reduced: { pitchSemitones: -1, pitchRange: 0.8, levelDb: -3, effort: -0.2, rate: 1.15 },
  moderate: { pitchSemitones: 2.5, pitchRange: 1.2, levelDb: 3.5, effort: 0.4, rate: 0.8 },
  strong: { pitchSemitones: 3.5, pitchRange: 1.3, levelDb: 5, effort: 0.6, rate: 0.7 },
};

/** Converts the SSML prosody of a word to deliveries. */
export function toDeliveries(prosody: Prosody): Partial<Delivery>[] {
  const { rate, pitchSemitones, volumeDb, emphasis } = prosody;
  return [
    {
      ...(rate !== undefined && { rate }),
      ...(pitchSemitones !== undefined && { pitchSemitones }),
      ...(volumeDb !== undefined && { levelDb: volumeDb }),
    },
    ...(emphasis === undefined ? [] : [EMPHASIS[emphasis]]),
  ];
}
