import type { SpokenWord } from '../piece.ts';

/** The words of a text, as it would be read in the language of the text around it. */
export type VerbalizeWords = (text: string, around: string) => readonly SpokenWord[];

/**
 * What may follow a text. When all of these leave its words as they are, so does everything else: a number
 * or an abbreviation would be read together with one of them.
 */
const FOLLOWERS = ['the', 'The', '5', '2024', '30 p.m.', 'Jr.'];
const UNSPACED_FOLLOWERS = ['好', 'の', '5', '年', 'A'];
/** How far back a follower can reach. */
const TAIL = 160;

/**
 * Whether a text, which ends between two words, can be read without knowing what follows. Gives the marks
 * after its last word, or undefined when what follows could change the words. `follower` is what does follow
 * where that is known already.
 */
export function findStableEnding(
  text: string,
  verbalizeWords: VerbalizeWords,
  follower?: string,
): string | undefined {
  const tail = tailOf(text);
  const verbalize = (part: string) => verbalizeWords(part, tail);
  const alone = verbalize(tail);
  if (alone.length === 0) return undefined;
  const followers = follower !== undefined ? [follower] : /\s$/.test(text) ? FOLLOWERS : UNSPACED_FOLLOWERS;
  let marks: string | undefined;
  for (const next of followers) {
    const together = verbalize(tail + next);
    const last = together[alone.length - 1];
    if (last === undefined || (marks !== undefined && last.after !== marks)) return undefined;
    if (!alone.every((word, index) => isSame(word, together[index]!))) return undefined;
    // Where the follower is itself cut off, its end says nothing.
    if (follower === undefined && !isSameText(together.slice(alone.length), verbalize(next)))
      return undefined;
    marks = last.after;
  }
  return marks;
}

/** The end of a text, from a space on where there is one. */
function tailOf(text: string): string {
  if (text.length <= TAIL) return text;
  const from = text.length - TAIL;
  const space = text.slice(from, -1).search(/\s/);
  return text.slice(space < 0 ? from : from + space);
}

function isSame(one: SpokenWord, other: SpokenWord): boolean {
  return one.text === other.text && one.start === other.start && one.end === other.end;
}

function isSameText(some: readonly SpokenWord[], others: readonly SpokenWord[]): boolean {
  return some.length === others.length && some.every((word, index) => word.text === others[index]!.text);
}
