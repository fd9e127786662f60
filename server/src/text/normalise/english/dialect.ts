import type { NumberVerbalizer } from '../numbers/number-verbalizer.ts';

/** What differs between the Englishes. */
export interface Dialect {
  readonly isBritish: boolean;
  readonly numbers: NumberVerbalizer;
}
