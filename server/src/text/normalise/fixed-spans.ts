import { type CueStyle, findCue, findPhonemeSpan } from '../markup/cues.ts';
import { parsePhonemes, spellingFor } from '../phonemes/parse-phonemes.ts';
import type { GivenPhonemes, Language } from '../piece.ts';
import type { VerbalizedWord } from './verbalization.ts';

/** A word of a fixed span. Its offsets are those of the span. */
export type FixedWord = Omit<VerbalizedWord, 'start' | 'end'>;

/** A span of the source whose words are determined before verbalization: by phonemes, a dictionary or SSML. */
export interface FixedSpan {
  readonly start: number;
  readonly end: number;
  /** The replaced source text, if it is larger than the span: with the tags around it. */
  readonly replaces?: { readonly start: number; readonly end: number };
  readonly words: readonly FixedWord[];
}

/** Finds the entries of pronunciation dictionaries in a text. */
export interface DictionaryMatcher {
  /** The longest entry that begins at `at` and ends at or before `end`. */
  longestAt(
    text: string,
    at: number,
    end: number,
  ): { readonly length: number; readonly value: string } | undefined;
}

export interface FixedSpanOptions {
  readonly language: Language;
  readonly cueStyle: CueStyle;
  readonly pronunciations?: DictionaryMatcher | undefined;
  /** Maximum end of the last entry; default: the end of the text. */
  readonly limit?: number;
}

/**
 * Finds the fixed spans that begin between `from` and `to`, in order: phoneme spans, and dictionary entries outside
 * of markup. The last may end after `to`.
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
      if (parsed.isValid) found.push({ ...value, replaces, words: [createPhonemeWord('', parsed.value)] });
      at = span.end;
    } else {
      const match =
        pronunciations &&
        entryAt(text, at, pronunciations, { cueStyle, limit: options.limit ?? text.length });
      const parsed = match && parsePhonemes(match.value, language);
      if (match && parsed?.isValid) {
        const end = at + match.length;
        const word = {
          ...createPhonemeWord(text.slice(at, end), parsed.value),
          isFromDictionary: true,
        } as const;
        found.push({ start: at, end, words: [word] });
        at = end;
      } else {
        at = findCue(text, at, cueStyle)?.end ?? at + 1;
      }
    }
    if (!pronunciations) at = nextTag(text, at);
  }
  return found;
}

/** A word with explicit phonemes. `written` is its spelling; it may be empty. */
export function createPhonemeWord(written: string, phonemes: GivenPhonemes): FixedWord {
  return { text: spellingFor(written, phonemes), phonemes };
}

function nextTag(text: string, at: number): number {
  const next = text.indexOf('<|', at);
  return next < 0 ? text.length : next;
}

/** The longest entry that does not extend into a cue or a tag. */
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
