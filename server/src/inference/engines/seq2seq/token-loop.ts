/** Consecutive repetitions of a cycle of tokens that count as a loop, by the length of the cycle. */
const REPEATS_OF_ONE = 8;
const REPEATS_OF_SHORT = 5;
const REPEATS_OF_LONG = 3;
const SHORT_TOKENS = 4;
const CYCLE_TOKENS_MAX = 24;

/**
 * Detects a loop at the end of a text. Returns the number of tokens to keep, including one cycle, or undefined
 * when there is no loop. A repetition that `isSpoken` confirms, given the length of its cycle, is not a loop.
 */
export function findTokenLoop(
  tokens: readonly number[],
  isSpoken: (cycle: number) => boolean = () => false,
): number | undefined {
  for (let cycle = 1; cycle <= Math.min(CYCLE_TOKENS_MAX, tokens.length / REPEATS_OF_LONG); cycle++) {
    let equal = 0;
    while (equal < tokens.length - cycle && tokens.at(-1 - equal) === tokens.at(-1 - equal - cycle)) equal++;
    const repeats = Math.floor(equal / cycle) + 1;
    if (repeats >= loopRepeats(cycle)) return isSpoken(cycle) ? undefined : tokens.length - equal;
  }
  return undefined;
}

function loopRepeats(cycle: number): number {
  if (cycle === 1) return REPEATS_OF_ONE;
  return cycle <= SHORT_TOKENS ? REPEATS_OF_SHORT : REPEATS_OF_LONG;
}
