import type { NumberVerbalizer } from '../numbers/number-verbalizer.ts';

/** The differences between American and British English. */
export interface Dialect {
  readonly isBritish: boolean;
  readonly numbers: NumberVerbalizer;
}
