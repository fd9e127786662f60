import type { Prosody } from '../piece.ts';
import { type CleanText, cleanText } from './clean-text.ts';
import type { FixedSpan, FixedWord } from './fixed-spans.ts';
import type { VerbalizationRule } from './verbalization.ts';

/** Clean text assembled from spans of the source, with a placeholder letter for each fixed span. */
export interface AnnotatedText extends CleanText {
  /** The words of the fixed spans, by the index of their placeholder. */
  readonly fixedWords: ReadonlyMap<number, readonly FixedWord[]>;
  /** The SSML prosody of the character at `index`. */
  prosodyAt(index: number): Prosody | undefined;
}

/**
 * Placeholders for fixed spans. They are Glagolitic letters: the rules test for upper case, and no rule matches this
 * script.
 */
const [CAPITAL_PLACEHOLDER, SMALL_PLACEHOLDER] = ['Ⰰ', 'ⰰ'];
const CAPITAL = /^\P{L}*\p{Lu}/u;

interface Part {
  readonly from: number;
  readonly clean: CleanText;
  readonly prosody: Prosody | undefined;
}

/** Assembles spans of the source, so that an expression that extends over several spans is verbalized as one. */
export class AnnotatedTextBuilder {
  readonly #source: string;
  readonly #parts: Part[] = [];
  readonly #fixedWords = new Map<number, readonly FixedWord[]>();
  #text = '';

  constructor(source: string) {
    this.#source = source;
  }

  get length(): number {
    return this.#text.length;
  }

  /** Adds the source text from `start` to `end`. */
  addSource(start: number, end: number, prosody?: Prosody): void {
    if (start >= end) return;
    this.#push(cleanText(this.#source, start, end, this.#text.at(-1)), prosody);
  }

  /** Adds a placeholder for a fixed span. */
  addFixedSpan({ start, end, words }: FixedSpan, prosody?: Prosody): void {
    if (words.length === 0) return;
    const first = words[0]!.phonemes ? this.#source.slice(start, end) : words[0]!.text;
    this.#fixedWords.set(this.#text.length, words);
    const text = CAPITAL.test(first) ? CAPITAL_PLACEHOLDER : SMALL_PLACEHOLDER;
    this.#push({ text, startOf: () => start, endOf: () => end }, prosody);
  }

  finish(): AnnotatedText {
    const [parts, fixedWords, text] = [this.#parts, this.#fixedWords, this.#text];
    const partAt = (index: number) => parts[lastIndexFrom(parts, index)];
    const sourceEnd = parts.at(-1)?.clean.endOf(text.length - parts.at(-1)!.from) ?? 0;
    return {
      text,
      fixedWords,
      startOf(index) {
        const part = index < text.length ? partAt(index) : undefined;
        return part ? part.clean.startOf(index - part.from) : sourceEnd;
      },
      endOf(index) {
        const part = partAt(Math.max(0, index - 1));
        return part ? part.clean.endOf(index - part.from) : 0;
      },
      prosodyAt: (index) => partAt(index)?.prosody,
    };
  }

  #push(clean: CleanText, prosody: Prosody | undefined): void {
    if (clean.text === '') return;
    this.#parts.push({ from: this.#text.length, clean, prosody });
    this.#text += clean.text;
  }
}

/** The last part that begins at or before `index`. */
function lastIndexFrom(parts: readonly Part[], index: number): number {
  let [low, high] = [0, parts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (parts[middle]!.from <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Extends a rule: fixed spans give their fixed words, and no other expression extends across one. */
export function withFixedSpans(
  { fixedWords }: AnnotatedText,
  verbalize: VerbalizationRule,
): VerbalizationRule {
  if (fixedWords.size === 0) return verbalize;
  const places = [...fixedWords.keys()];
  let next = 0;
  return (context, at) => {
    const words = fixedWords.get(at);
    if (words) return { words: words.map((word) => ({ ...word, start: at, end: at + 1 })), end: at + 1 };
    while (next < places.length && places[next]! < at) next++;
    const place = places[next];
    const verbalization = verbalize(context, at);
    if (!verbalization || place === undefined || verbalization.end <= place) return verbalization;
    return verbalize({ ...context, text: context.text.slice(0, place) }, at);
  };
}
