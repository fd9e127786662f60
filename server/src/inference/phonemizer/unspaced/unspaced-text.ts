import type { LanguagePhonemizer, PhonemizedText, WordSpan } from '../../../domain/engines/phonemizer.ts';
import type { GivenPhonemes, SpokenWord } from '../../../text/piece.ts';
import { toKokoroSymbols } from '../notation/write-given-phonemes.ts';
import { kokoroPunctuation } from '../tokens/kokoro-symbols.ts';

/** Phonemes and the character they come from (a UTF-16 index into the text). */
export interface PhonemeRun {
  readonly symbols: string;
  readonly character: number;
}

/** Runs that are written together; a space follows. */
export type PhonemeGroup = readonly PhonemeRun[];

/** Phonemizes text without spaces or punctuation. Runs are in the order of their characters. */
export type UnspacedReader = (text: string) => readonly PhonemeGroup[];

/** A part of one word in one script. */
interface Chunk {
  readonly text: string;
  readonly isLatin: boolean;
  readonly wordIndex: number;
  /** Phonemes of the word, when given in the text. */
  readonly given?: GivenPhonemes;
}

const SCRIPT_RUNS =
  /[\p{Script=Latin}\p{M}'’-]*\p{Script=Latin}[\p{Script=Latin}\p{M}'’-]*|\P{Script=Latin}+/gu;

/**
 * Phonemizes a language written without spaces. The result does not depend on word segmentation: text between
 * punctuation marks is phonemized as one unit, and each run is assigned to the word of its character. Latin words are
 * passed to `latin`, or omitted without it.
 */
export function phonemizeUnspaced(
  words: readonly SpokenWord[],
  read: UnspacedReader,
  latin: LanguagePhonemizer | undefined,
): PhonemizedText {
  const output = new SymbolWriter(words.length);
  for (const [start, end] of clauseRanges(words)) {
    output.open(kokoroPunctuation(words[start]!.before));
    for (const run of scriptRuns(words, start, end)) {
      const { given, isLatin, wordIndex } = run[0]!;
      if (given) {
        output.startGroup();
        output.write(toKokoroSymbols(given, 'other'), wordIndex);
      } else if (!isLatin) writeUnspaced(run, read, output);
      else if (latin) writeLatin(run, words, latin, output);
    }
    output.close(kokoroPunctuation(words[end - 1]!.after));
  }
  return output.finish();
}

/** Word ranges without inner punctuation. */
function* clauseRanges(words: readonly SpokenWord[]): Generator<readonly [start: number, end: number]> {
  let start = 0;
  for (const [index, word] of words.entries()) {
    const next = words[index + 1];
    if (next !== undefined && word.after === '' && next.before === '') continue;
    yield [start, index + 1];
    start = index + 1;
  }
}

function scriptRuns(words: readonly SpokenWord[], start: number, end: number): Chunk[][] {
  const runs: Chunk[][] = [];
  for (let wordIndex = start; wordIndex < end; wordIndex++) {
    const { text: whole, phonemes } = words[wordIndex]!;
    if (phonemes) {
      runs.push([{ text: whole, isLatin: false, wordIndex, given: phonemes }]);
      continue;
    }
    for (const [text] of whole.matchAll(SCRIPT_RUNS)) {
      const chunk = { text, isLatin: /\p{Script=Latin}/u.test(text), wordIndex };
      const run = runs.at(-1);
      if (run?.[0]?.isLatin === chunk.isLatin && !run[0].given) run.push(chunk);
      else runs.push([chunk]);
    }
  }
  return runs;
}

function writeUnspaced(run: readonly Chunk[], read: UnspacedReader, output: SymbolWriter): void {
  const wordOf = run.flatMap(({ text, wordIndex }) => new Array<number>(text.length).fill(wordIndex));
  for (const group of read(run.map(({ text }) => text).join(''))) {
    if (group.every(({ symbols }) => symbols === '')) continue;
    output.startGroup();
    for (const { symbols, character } of group) output.write(symbols, wordOf[character]!);
  }
}

function writeLatin(
  run: readonly Chunk[],
  words: readonly SpokenWord[],
  latin: LanguagePhonemizer,
  output: SymbolWriter,
): void {
  const latinWords = run.map(({ text, wordIndex }) => ({
    ...words[wordIndex]!,
    text,
    before: '',
    after: '',
  }));
  const { symbols, wordSpans } = latin.phonemize(latinWords);
  wordSpans.forEach(({ start, end }, index) => {
    if (start === end) return;
    output.startGroup();
    output.write(symbols.slice(start, end), run[index]!.wordIndex);
  });
}

/** Builds the symbols with spaces, and the span of each word. */
class SymbolWriter {
  #symbols = '';
  readonly #spans: (WordSpan | undefined)[];

  constructor(wordCount: number) {
    this.#spans = new Array<WordSpan | undefined>(wordCount).fill(undefined);
  }

  open(marks: string): void {
    if (marks === '') return;
    this.startGroup();
    this.#symbols += marks;
  }

  close(marks: string): void {
    this.#symbols += marks;
  }

  startGroup(): void {
    if (this.#symbols !== '' && !/[ (“]$/.test(this.#symbols)) this.#symbols += ' ';
  }

  write(symbols: string, wordIndex: number): void {
    if (symbols === '') return;
    const start = this.#spans[wordIndex]?.start ?? this.#symbols.length;
    this.#symbols += symbols;
    this.#spans[wordIndex] = { start, end: this.#symbols.length };
  }

  finish(): PhonemizedText {
    let silentAt = 0;
    const wordSpans = this.#spans.map((span) => {
      if (span === undefined) return { start: silentAt, end: silentAt };
      silentAt = span.end;
      return span;
    });
    return { symbols: this.#symbols, wordSpans };
  }
}
