import type { LanguagePhonemizer, PhonemizedText, WordSpan } from '../../../domain/engines/phonemizer.ts';
import type { GivenPhonemes, SpokenWord } from '../../../text/piece.ts';
import { kokoroSounds } from '../notation/given-phonemes.ts';
import { kokoroPunctuation } from '../tokens/kokoro-symbols.ts';

/** A sound, and the character it comes from (a UTF-16 index into the text that was read). */
export interface Sound {
  readonly symbols: string;
  readonly character: number;
}

/** Sounds that are written together; a space follows. */
export type SoundGroup = readonly Sound[];

/** Reads a stretch of text without spaces or punctuation. Sounds come in the order of their characters. */
export type UnspacedReader = (text: string) => readonly SoundGroup[];

/** A stretch of one word in one script. */
interface Chunk {
  readonly text: string;
  readonly isLatin: boolean;
  readonly wordIndex: number;
  /** The whole word's sound, when it is given. */
  readonly given?: GivenPhonemes;
}

const SCRIPT_RUNS =
  /[\p{Script=Latin}\p{M}'’-]*\p{Script=Latin}[\p{Script=Latin}\p{M}'’-]*|\P{Script=Latin}+/gu;

/**
 * Phonemizes a language written without spaces. Where the words were cut does not matter: what stands
 * between two marks of punctuation is read as a whole, and each sound is given to the word its character
 * is in. Latin words go to `latin`, or stay silent without it.
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
        output.write(kokoroSounds(given, 'other'), wordIndex);
      } else if (!isLatin) writeUnspaced(run, read, output);
      else if (latin) writeLatin(run, words, latin, output);
    }
    output.close(kokoroPunctuation(words[end - 1]!.after));
  }
  return output.finish();
}

/** Word ranges with punctuation at their ends only. */
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

/** Collects symbols, sets the spaces, and remembers which word each symbol is from. */
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
