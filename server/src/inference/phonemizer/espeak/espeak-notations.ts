import { kokoroPunctuation, toKokoroAlphabet } from '../tokens/kokoro-symbols.ts';
import type { EspeakNotation } from './espeak-words.ts';

/** Joins the letters of one phoneme, to distinguish "tʃ" from "t" followed by "ʃ". */
const TIE = '^';

/** Writes phonemes with a tie before every letter that is not the first of its phoneme. */
function tied(phonemes: readonly string[]): string {
  return phonemes
    .map((phoneme) => {
      let text = '';
      let hasLetter = false;
      for (const character of phoneme) {
        // Letters proper, not the modifiers, stress marks and accents of U+02B0 to U+036F.
        const isLetter = /\p{L}/u.test(character) && !/[\u02b0-\u036f]/u.test(character);
        if (isLetter && hasLetter) text += TIE;
        text += character;
        hasLetter ||= isLetter;
      }
      return text;
    })
    .join('');
}

type Replacements = readonly (readonly [RegExp | string, string])[];

function replaceAll(text: string, replacements: Replacements): string {
  let result = text;
  for (const [from, to] of replacements) result = result.replaceAll(from, to);
  return result;
}

const SHARED_ENGLISH: Replacements = [
  [/ʔˌ?n\u0329/gu, 'tn'],
  ['a^ɪ', 'I'],
  ['a^ʊ', 'W'],
  ['d^ʒ', 'ʤ'],
  ['e^ɪ', 'A'],
  ['t^ʃ', 'ʧ'],
  ['ɔ^ɪ', 'Y'],
  ['ə^l', 'ᵊl'],
  [/ʲ(?=[oə])/gu, 'j'],
  ['ʲ', ''],
  ['ɚ', 'əɹ'],
  ['r', 'ɹ'],
  [/[xç]/gu, 'k'],
  ['ɐ', 'ə'],
  ['ɬ', 'l'],
  ['\u0303', ''],
  [/(\S)\u0329/gu, 'ᵊ$1'],
];

const AMERICAN: Replacements = [
  ...SHARED_ENGLISH,
  ['o^ʊ', 'O'],
  [/ɜːɹ?/gu, 'ɜɹ'],
  [/ɪ\^?ə/gu, 'iə'],
  ['ː', ''],
  [/e(?!\^)/gu, 'A'],
  ['o', 'ɔ'],
  ['ɾ', 'T'],
  ['ʔ', 't'],
  [TIE, ''],
];

const BRITISH: Replacements = [
  ...SHARED_ENGLISH,
  ['e^ə', 'ɛː'],
  [/i\^?ə/gu, 'ɪə'],
  ['ə^ʊ', 'Q'],
  // The British lexicon and Kokoro's training text write "trap" with a plain a.
  ['æ', 'a'],
  [/e(?!\^)/gu, 'A'],
  ['o', 'ɔ'],
  [/[ɾʔ]/gu, 't'],
  [TIE, ''],
];

/** All languages but English, Japanese and Chinese. */
const OTHER: Replacements = [
  // The Hindi flap; a dot would be interpreted as the end of a sentence.
  ['r.h', 'ɽʰ'],
  ['r.', 'ɽ'],
  ['.', ''],
  ['a^ɪ', 'I'],
  ['a^ʊ', 'W'],
  ['d^z', 'ʣ'],
  ['d^ʒ', 'ʤ'],
  ['e^ɪ', 'A'],
  ['o^ʊ', 'O'],
  ['ə^ʊ', 'Q'],
  ['s^s', 'S'],
  ['t^s', 'ʦ'],
  ['t^ʃ', 'ʧ'],
  ['ɔ^ɪ', 'Y'],
  [TIE, ''],
  ['-', ''],
];

/** Decomposes nasal vowels, since the token table has the tilde as a separate symbol. */
const splitTilde = (text: string) =>
  text.replace(/[\u00e3\u00f1\u00f5\u0129\u0169\u1ebd\u1ef9]/gu, (letter) => letter.normalize('NFD'));

const kokoro = (replacements: Replacements): EspeakNotation => ({
  write: (phonemes) => toKokoroAlphabet(splitTilde(replaceAll(tied(phonemes), replacements))),
  punctuation: kokoroPunctuation,
});

/** espeak-ng's American English in Kokoro's symbols, for out-of-vocabulary words. */
export const KOKORO_AMERICAN = kokoro(AMERICAN);
/** espeak-ng's British English in Kokoro's symbols. */
export const KOKORO_BRITISH = kokoro(BRITISH);
/** Spanish, French, Italian, Portuguese and Hindi in Kokoro's symbols. */
export const KOKORO_OTHER = kokoro(OTHER);

/** Piper's symbols for clause-final punctuation; other marks are omitted. */
const PIPER_MARKS: Readonly<Record<string, string>> = {
  '.': '.',
  ',': ',',
  '?': '?',
  '!': '!',
  ':': ':',
  ';': ';',
  '—': ';',
  '…': '.',
  '।': '.',
};

/** espeak-ng's IPA in Unicode NFD, the notation of Piper voices. */
export const PIPER: EspeakNotation = {
  write: (phonemes) => phonemes.join('').replaceAll('-', '').normalize('NFD'),
  punctuation(marks) {
    for (const mark of marks) {
      const known = PIPER_MARKS[mark];
      if (known !== undefined) return known;
    }
    return '';
  },
};
