/** What became of a written value: what it means, or what is wrong with it, in words for its author. */
export type ParseResult<Value> = { readonly value: Value } | { readonly problem: string };

/** The longest sound one span may give: a short phrase. A model takes no more in one go. */
const PARTS_MAX = 120;

/** Refuses what is empty or too long to be one word or a short phrase. */
export function checkLength(parts: readonly string[], most = PARTS_MAX): ParseResult<readonly string[]> {
  if (parts.length === 0) return { problem: 'it holds no sound' };
  if (parts.length > most) return { problem: `it is longer than ${most} sounds` };
  return { value: parts };
}
