import type { NumberSpeaker } from '../numbers/number-speaker.ts';

/** What differs between the Englishes. */
export interface Dialect {
  readonly isBritish: boolean;
  readonly numbers: NumberSpeaker;
}
