import { type CueStyle, findCue, findPhonemeSpan } from '../markup/cues.ts';
import { parsePhonemes, spellingFor } from '../phonemes/parse-phonemes.ts';
import type { GivenPhonemes, Language } from '../piece.ts';
import type { VerbalizedWord } from './verbalization.ts';

/** A word that no rule needs to read any more. Its place is that of its stretch. */
export type FixedWord = Omit<VerbalizedWord, 'start' | 'end'>;

/** A stretch of the caller's text whose words are known before it is read. */
export interface FixedSpan {
  readonly start: number;
  readonly end: number;
  /** What it takes the place of, when that is more: the marks around it. */
  readonly replaces?: { readonly start: number; readonly end: number };
  readonly words: readonly FixedWord[];
}

/** Finds the words of a text that have a sound of their own. */
export interface DictionaryMatcher {
  /** The longest entry that stands at `at` and ends by `end`, or nothing. */
  longestAt(
    text: string,
    at: number,
    end: number,
  ): { readonly length: number; readonly value: string } | undefined;
}

/** What settles words before a text is read. */
export interface FixedSpanOptions {
  readonly language: Language;
  readonly cueStyle: CueStyle;
  readonly pronunciations?: DictionaryMatcher | undefined;
  /** Where the last entry must end at the latest; the end of the text unless given. */
  readonly limit?: number;
}

/**
 * The settled stretches that begin between `from` and `to`, in order: phoneme spans, and entries of a
 * dictionary outside mark-up. The last may end beyond `to`.
 */
export function findFixedSpans(
  text: string,
  from: number,
  to: number,
  options: FixedSpanOptions,
): FixedSpan[] {
  const { language, cueStyle, pronunciations } = options;
  const found: FixedSpan[] = [];
  for (let at = pronunciations ? from : nextTag(text, from); at < to; ) {
    const span = text[at] === '<' ? findPhonemeSpan(text, at) : undefined;
    if (span) {
      const value = { start: span.valueStart, end: span.valueEnd };
      const parsed = parsePhonemes(text.slice(value.start, value.end), language);
      const replaces = { start: at, end: span.end };
      if ('value' in parsed) found.push({ ...value, replaces, words: [createPhonemeWord('', parsed.value)] });
      at = span.end;
    } else {
      const match =
        pronunciations &&
        entryAt(text, at, pronunciations, { cueStyle, limit: options.limit ?? text.length });
      const parsed = match && parsePhonemes(match.value, language);
      if (parsed && 'value' in parsed) {
        const end = at + match.length;
        found.push({ start: at, end, words: [createPhonemeWord(text.slice(at, end), parsed.value)] });
        at = end;
      } else {
        at = findCue(text, at, cueStyle)?.end ?? at + 1;
      }
    }
    if (!pronunciations) at = nextTag(text, at);
  }
  return found;
}

/** A word that is said by its phonemes. `written` is how it is spelled, when it is. */
export function createPhonemeWord(written: string, phonemes: GivenPhonemes): FixedWord {
  return { text: spellingFor(written, phonemes), phonemes };
}

function nextTag(text: string, at: number): number {
  const next = text.indexOf('<|', at);
  return next < 0 ? text.length : next;
}

/** An entry never reaches into a cue or a tag. */
function entryAt(
  text: string,
  at: number,
  pronunciations: DictionaryMatcher,
  { cueStyle, limit }: { cueStyle: CueStyle; limit: number },
) {
  let end = limit;
  if (findCue(text, at, cueStyle)) return undefined;
  for (;;) {
    const match = pronunciations.longestAt(text, at, end);
    if (!match) return undefined;
    const cue = firstCueWithin(text, at + 1, at + match.length, cueStyle);
    if (cue < 0) return match;
    end = cue;
  }
}

function firstCueWithin(text: string, from: number, to: number, cueStyle: CueStyle): number {
  for (let at = from; at < to; at++) {
    if (findCue(text, at, cueStyle) || findPhonemeSpan(text, at)) return at;
  }
  return -1;
}
