import { pathToFileURL } from 'node:url';
import { z } from 'zod';

/** Counts insertions, deletions and substitutions of words between a reference and a transcript. */
export type CountWordErrors = (
  reference: string,
  transcript: string,
) => { readonly errors: number; readonly words: number };

type SplitWords = (text: string) => readonly string[];

/** Loads a module with a function `words` that splits a text; the default ignores case and punctuation. */
export async function loadWordCounter(path: string | undefined): Promise<CountWordErrors> {
  if (path === undefined) return countWordErrors;
  const { words } = Normalizer.parse(await import(pathToFileURL(path).href));
  return (reference, transcript) => compareWords(words(reference), words(transcript));
}

const Normalizer = z.looseObject({
  words: z.custom<SplitWords>(
    (value) => typeof value === 'function',
    'The module exports no function `words`.',
  ),
});

/** Compares two texts without case and punctuation. */
export const countWordErrors: CountWordErrors = (reference, transcript) =>
  compareWords(wordsOf(reference), wordsOf(transcript));

/** Two words that are one word in the other text are not an error. */
function compareWords(from: readonly string[], to: readonly string[]): ReturnType<CountWordErrors> {
  let beforeAbove: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, word] of from.entries()) {
    const next = [row + 1];
    for (const [column, other] of to.entries()) {
      let least = Math.min(
        above[column]! + (word === other ? 0 : 1),
        above[column + 1]! + 1,
        next[column]! + 1,
      );
      if (row > 0 && from[row - 1]! + word === other) least = Math.min(least, beforeAbove[column]!);
      if (column > 0 && to[column - 1]! + other === word) least = Math.min(least, above[column - 1]!);
      next.push(least);
    }
    beforeAbove = above;
    above = next;
  }
  return { errors: above.at(-1)!, words: from.length };
}

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll(/[’']/g, '')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}
