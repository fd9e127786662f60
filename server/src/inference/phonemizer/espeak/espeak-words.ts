import type { PhonemizedText, WordSpan } from '../../../domain/engines/phonemizer.ts';
import type { GivenPhonemes, SpokenWord } from '../../../text/piece.ts';
import { joinPhonemizedTexts } from '../common/join-texts.ts';
import { alignWords } from '../common/word-alignment.ts';
import type { Espeak } from './espeak.ts';
import { blocksLiaison } from './french-liaison.ts';

/** The notation of a model family for espeak-ng's phonemes. */
export interface EspeakNotation {
  /** Writes a run of phonemes without spaces. */
  write(phonemes: readonly string[]): string;
  /** Maps the punctuation before or after a word to the symbols of the model. */
  punctuation(marks: string): string;
}

/** Limits of a clause, since espeak-ng has an internal limit. */
const CLAUSE_WORDS_MAX = 40;
const CLAUSE_CHARACTERS_MAX = 500;

/**
 * Phonemizes clause by clause, so that liaison and weak forms are correct, and aligns the words with the result.
 * `writeGiven` writes words with given phonemes.
 */
export function phonemizeWithEspeak(
  espeak: Espeak,
  voice: string,
  words: readonly SpokenWord[],
  notation: EspeakNotation,
  writeGiven: (phonemes: GivenPhonemes) => string,
): PhonemizedText {
  let symbols = '';
  const wordSpans: WordSpan[] = [];
  for (const clause of clauses(words, /^fr\b/.test(voice) ? blocksLiaison : undefined)) {
    const first = clause[0]!;
    const last = clause.at(-1)!;
    if (symbols !== '') symbols += ' ';
    symbols += notation.punctuation(first.before);
    const spoken = phonemizeClause(espeak, voice, clause, notation, writeGiven);
    for (const { start, end } of spoken.wordSpans) {
      wordSpans.push({ start: symbols.length + start, end: symbols.length + end });
    }
    symbols += spoken.symbols + notation.punctuation(last.after);
  }
  return { symbols, wordSpans };
}

/** Splits after words followed by punctuation, and between words without liaison. */
function* clauses(
  words: readonly SpokenWord[],
  isSeparate: (word: SpokenWord, next: SpokenWord) => boolean = () => false,
): Generator<readonly SpokenWord[]> {
  let start = 0;
  let characters = 0;
  for (const [index, word] of words.entries()) {
    characters += word.text.length + 1;
    const next = words[index + 1];
    const isEnd =
      next === undefined ||
      word.after !== '' ||
      next.before !== '' ||
      isSeparate(word, next) ||
      index + 1 - start >= CLAUSE_WORDS_MAX ||
      characters + next.text.length > CLAUSE_CHARACTERS_MAX;
    if (isEnd) {
      yield words.slice(start, index + 1);
      start = index + 1;
      characters = 0;
    }
  }
}

/** Words with given phonemes are phonemized with the others as context and then replaced. */
function phonemizeClause(
  espeak: Espeak,
  voice: string,
  words: readonly SpokenWord[],
  notation: EspeakNotation,
  writeGiven: (phonemes: GivenPhonemes) => string,
): PhonemizedText {
  const [first] = words;
  if (words.length === 1 && first!.phonemes) {
    const symbols = writeGiven(first!.phonemes);
    return { symbols, wordSpans: [{ start: 0, end: symbols.length }] };
  }
  const texts = words.map((word) => (word.spell === true ? word.text.toUpperCase() : word.text));
  const groups = espeak.phonemes(texts.join(' '), voice);
  const wordOf =
    groups.length === words.length
      ? groups.flatMap((group, index) => group.map(() => index))
      : alignWords(
          texts.map((text) => espeak.phonemes(text, voice).flat()),
          groups.flat(),
        );

  const starts = new Array<number>(words.length).fill(-1);
  const ends = new Array<number>(words.length).fill(-1);
  let symbols = '';
  let at = 0;
  for (const group of groups) {
    if (symbols !== '') symbols += ' ';
    for (const run of runsByWord(group, wordOf.slice(at, at + group.length))) {
      const { phonemes } = words[run.word]!;
      if (phonemes && starts[run.word] !== -1) continue;
      const text = phonemes ? writeGiven(phonemes) : notation.write(run.phonemes);
      if (text === '') continue;
      if (starts[run.word] === -1) starts[run.word] = symbols.length;
      symbols += text;
      ends[run.word] = symbols.length;
    }
    at += group.length;
  }
  const isComplete = words.every((word, index) => !word.phonemes || starts[index] !== -1);
  if (isComplete) return { symbols, wordSpans: fillEmpty(starts, ends) };
  return joinPhonemizedTexts(
    words.map((word) => phonemizeClause(espeak, voice, [word], notation, writeGiven)),
  );
}

function* runsByWord(group: readonly string[], wordOf: readonly number[]) {
  let start = 0;
  for (let index = 1; index <= group.length; index++) {
    if (index < group.length && wordOf[index] === wordOf[start]) continue;
    yield { word: wordOf[start]!, phonemes: group.slice(start, index) };
    start = index;
  }
}

/** A word without phonemes gets an empty span at the end of the preceding word. */
function fillEmpty(starts: readonly number[], ends: readonly number[]): WordSpan[] {
  let position = 0;
  return starts.map((start, index) => {
    if (start === -1) return { start: position, end: position };
    position = ends[index]!;
    return { start, end: position };
  });
}
