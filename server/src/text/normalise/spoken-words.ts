import type { SpokenWord } from '../piece.ts';
import type { AnnotatedText } from './annotated-text.ts';
import type { VerbalizedWord } from './verbalization.ts';

const WORD_LENGTH_MAX = 64;

/** Converts a word to source offsets. Splits a word longer than 64 characters. */
export function toSpokenWords(word: VerbalizedWord, text: AnnotatedText): SpokenWord[] {
  if (word.text.length <= WORD_LENGTH_MAX || word.phonemes)
    return [spokenWord(word, word.text.slice(0, WORD_LENGTH_MAX), word.start, word.end, text)];
  const parts: SpokenWord[] = [];
  for (let at = 0; at < word.text.length; at += WORD_LENGTH_MAX) {
    const part = word.text.slice(at, at + WORD_LENGTH_MAX);
    const isLiteral = word.text.length === word.end - word.start;
    const start = isLiteral ? word.start + at : word.start;
    parts.push(spokenWord(word, part, start, isLiteral ? start + part.length : word.end, text));
  }
  return parts;
}

function spokenWord(
  word: VerbalizedWord,
  said: string,
  from: number,
  to: number,
  text: AnnotatedText,
): SpokenWord {
  const start = text.startOf(from);
  const end = Math.max(start, text.endOf(to));
  const prosody = text.prosodyAt(from);
  return {
    text: said,
    start,
    end,
    before: '',
    after: word.after ?? '',
    ...(word.spell && { spell: word.spell }),
    ...(word.phonemes && { phonemes: word.phonemes }),
    ...(word.isFromDictionary && { isFromDictionary: true }),
    ...(prosody && { prosody }),
  };
}

/** Merges punctuation: keeps the strongest mark, and each bracket once. */
export function mergePunctuation(present: string, added: string): string {
  const marks = present + added;
  const stop = ['?', '!', '…', '.', '—', ';', ':', ','].find((mark) => marks.includes(mark)) ?? '';
  return `${marks.includes(')') ? ')' : ''}${stop}${marks.includes('”') ? '”' : ''}`;
}

const WIDE = /[\p{Script=Han}]/gu;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** Estimates the number of phonemes of a word. */
export function estimatePhonemes(word: SpokenWord): number {
  if (word.spell) return 5;
  if (word.phonemes) return word.phonemes.value.replace(/[\s\d]/g, '').length + 1;
  const code = word.text.charCodeAt(0);
  if (code < 0x2e80) return word.text.length + 1;
  const han = word.text.match(WIDE)?.length ?? 0;
  const kana = word.text.match(KANA)?.length ?? 0;
  return han * 5 + kana * 2 + (word.text.length - han - kana) + 1;
}
