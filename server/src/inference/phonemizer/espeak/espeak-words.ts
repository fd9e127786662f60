import type { PhonemizedText, WordSpan } from '../../../domain/engines/phonemizer.ts';
import type { GivenPhonemes, SpokenWord } from '../../../text/piece.ts';
import { joinTexts } from '../common/join-texts.ts';
import { alignWords } from '../common/word-alignment.ts';
import type { Espeak } from './espeak.ts';
import { isUnlinked } from './french-liaison.ts';

/** How one family of models writes what espeak says. */
export interface EspeakNotation {
  /** Writes a run of phonemes that has no space in it. */
  write(phonemes: readonly string[]): string;
  /** The punctuation the model knows, made of what stands before or after a word. */
  punctuation(marks: string): string;
}

/** espeak reads a clause whole; a very long one is cut, since it has an inner limit. */
const CLAUSE_WORDS_MAX = 40;
const CLAUSE_CHARACTERS_MAX = 500;

/**
 * Phonemizes clause by clause, as espeak does on its own, so that liaison and weak forms come out
 * right, and finds each word again in the result. `soundsOf` writes the words whose sound is given.
 */
export function phonemizeWithEspeak(
  espeak: Espeak,
  voice: string,
  words: readonly SpokenWord[],
  notation: EspeakNotation,
  soundsOf: (phonemes: GivenPhonemes) => string,
): PhonemizedText {
  let symbols = '';
  const wordSpans: WordSpan[] = [];
  for (const clause of clauses(words, /^fr\b/.test(voice) ? isUnlinked : undefined)) {
    const first = clause[0]!;
    const last = clause.at(-1)!;
    if (symbols !== '') symbols += ' ';
    symbols += notation.punctuation(first.before);
    const spoken = phonemizeClause(espeak, voice, clause, notation, soundsOf);
    for (const { start, end } of spoken.wordSpans) {
      wordSpans.push({ start: symbols.length + start, end: symbols.length + end });
    }
    symbols += spoken.symbols + notation.punctuation(last.after);
  }
  return { symbols, wordSpans };
}

/** Cuts at every word that has punctuation on its far side, and between words that must not be linked. */
function* clauses(
  words: readonly SpokenWord[],
  isApart: (word: SpokenWord, next: SpokenWord) => boolean = () => false,
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
      isApart(word, next) ||
      index + 1 - start >= CLAUSE_WORDS_MAX ||
      characters + next.text.length > CLAUSE_CHARACTERS_MAX;
    if (isEnd) {
      yield words.slice(start, index + 1);
      start = index + 1;
      characters = 0;
    }
  }
}

/** A word whose sound is given is read with the others, for their sake, and then replaced. */
function phonemizeClause(
  espeak: Espeak,
  voice: string,
  words: readonly SpokenWord[],
  notation: EspeakNotation,
  soundsOf: (phonemes: GivenPhonemes) => string,
): PhonemizedText {
  const [first] = words;
  if (words.length === 1 && first!.phonemes) {
    const symbols = soundsOf(first!.phonemes);
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
      const text = phonemes ? soundsOf(phonemes) : notation.write(run.phonemes);
      if (text === '') continue;
      if (starts[run.word] === -1) starts[run.word] = symbols.length;
      symbols += text;
      ends[run.word] = symbols.length;
    }
    at += group.length;
  }
  const isWhole = words.every((word, index) => !word.phonemes || starts[index] !== -1);
  if (isWhole) return { symbols, wordSpans: fillEmpty(starts, ends) };
  return joinTexts(words.map((word) => phonemizeClause(espeak, voice, [word], notation, soundsOf)));
}

function* runsByWord(group: readonly string[], wordOf: readonly number[]) {
  let start = 0;
  for (let index = 1; index <= group.length; index++) {
    if (index < group.length && wordOf[index] === wordOf[start]) continue;
    yield { word: wordOf[start]!, phonemes: group.slice(start, index) };
    start = index;
  }
}

/** A word without sound gets an empty span where the word before it ends. */
function fillEmpty(starts: readonly number[], ends: readonly number[]): WordSpan[] {
  let position = 0;
  return starts.map((start, index) => {
    if (start === -1) return { start: position, end: position };
    position = ends[index]!;
    return { start, end: position };
  });
}
