/** How often a stretch of tokens must follow itself to count as going round in circles, by its length. */
const REPEATS_OF_ONE = 8;
const REPEATS_OF_SHORT = 5;
const REPEATS_OF_LONG = 3;
const SHORT_TOKENS = 4;
const CYCLE_TOKENS_MAX = 24;

/**
 * Where a text begins to go round in circles: the number of tokens to keep (one round of the circle), or
 * undefined when its end does not repeat.
 */
export function findTokenLoop(tokens: readonly number[]): number | undefined {
  for (let cycle = 1; cycle <= Math.min(CYCLE_TOKENS_MAX, tokens.length / REPEATS_OF_LONG); cycle++) {
    let equal = 0;
    while (equal < tokens.length - cycle && tokens.at(-1 - equal) === tokens.at(-1 - equal - cycle)) equal++;
    const rounds = Math.floor(equal / cycle) + 1;
    if (rounds >= repeatsAllowed(cycle)) return tokens.length - equal;
  }
  return undefined;
}

function repeatsAllowed(cycle: number): number {
  if (cycle === 1) return REPEATS_OF_ONE;
  return cycle <= SHORT_TOKENS ? REPEATS_OF_SHORT : REPEATS_OF_LONG;
}
