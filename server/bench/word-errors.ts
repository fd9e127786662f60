/** How many words must be put in, taken out or replaced to turn one text into the other, case and signs aside. */
export function countWordErrors(
  said: string,
  heard: string,
): { readonly errors: number; readonly words: number } {
  const [from, to] = [wordsOf(said), wordsOf(heard)];
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, word] of from.entries()) {
    const next = [row + 1];
    for (const [column, other] of to.entries()) {
      const replaced = above[column]! + (word === other ? 0 : 1);
      next.push(Math.min(replaced, above[column + 1]! + 1, next[column]! + 1));
    }
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
