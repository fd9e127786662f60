import type { EnglishAccentName } from '../../../text/piece.ts';
import type { Delivery } from '../../engines/delivery.ts';

/** A delivery for a range of the text, in addition to the cues in it. */
export interface DirectedRange {
  /** UTF-16 offsets into the text of the request, half open. */
  readonly start: number;
  readonly end: number;
  readonly delivery: Partial<Delivery>;
  readonly accent?: EnglishAccentName | undefined;
}
