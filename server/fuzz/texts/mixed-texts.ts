import { type HostileText, quoted, repeat } from './hostile-text.ts';
import { CUES, ENTITIES, TAGS } from './markup-units.ts';
import { NUMBERS, PUNCTUATION, SCRIPTS, SPACES, WORDS } from './plain-units.ts';

/** Units of several groups in an order given by `index`. */
function mixture(index: number): HostileText {
  const random = lcg(index);
  const groups = [CUES, TAGS, ENTITIES, PUNCTUATION, SPACES, NUMBERS, WORDS, SCRIPTS];
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  const unit = Array.from({ length: 4 + (index % 9) }, () => pick(pick(groups))).join('');
  return { name: `mixture ${index}: ${quoted(unit)}`, generate: (length) => repeat(unit, length) };
}

/** Deterministic pseudo-random numbers in [0, 1). */
function lcg(seed: number): () => number {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Mixtures of units of all kinds. */
export const MIXED_TEXTS: readonly HostileText[] = Array.from({ length: 40 }, (_, index) => mixture(index));
