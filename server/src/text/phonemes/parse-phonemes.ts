import type { GivenPhonemes, Language } from '../piece.ts';
import { parseArpabet } from './arpabet.ts';
import { parseIpa } from './ipa.ts';
import { invalid, type ParseResult } from './parse-result.ts';
import { parsePinyin } from './pinyin.ts';
import { parseRomaji } from './romaji.ts';

type Alphabet = GivenPhonemes['alphabet'];

/** Parsers by alphabet. Arpabet and IPA give IPA phonemes, pinyin syllables, romaji katakana morae. */
const PARSERS: Readonly<Record<Alphabet, (written: string) => ParseResult<readonly string[]>>> = {
  arpabet: parseArpabet,
  pinyin: parsePinyin,
  romaji: parseRomaji,
  ipa: parseIpa,
};
const IN_SLASHES = /^\s*\/(.*)\/\s*$/su;

/**
 * Parses the phonemes of a phoneme span or a dictionary item: IPA between slashes, else Arpabet, pinyin or romaji,
 * depending on the language of the text.
 */
export function parsePhonemes(written: string, language: Language): ParseResult<GivenPhonemes> {
  const ipa = IN_SLASHES.exec(written)?.[1];
  if (ipa !== undefined) return parseInAlphabet('ipa', ipa);
  const attempts = alphabetsOf(language).map((alphabet) => parseInAlphabet(alphabet, written));
  const parsed = attempts.find((attempt) => attempt.isValid);
  if (parsed) return parsed;
  const [own] = attempts;
  return invalid(`${own!.isValid ? '' : own!.problem}; IPA must be between slashes`);
}

/** Parses phonemes in a given alphabet. */
export function parseInAlphabet(alphabet: Alphabet, written: string): ParseResult<GivenPhonemes> {
  const parsed = PARSERS[alphabet](written);
  return parsed.isValid ? { isValid: true, value: { alphabet, value: written.trim() } } : parsed;
}

/** The units of valid phonemes: IPA phonemes, syllables or morae, depending on the alphabet. */
export function phonemeParts({ alphabet, value }: GivenPhonemes): readonly string[] {
  const parsed = PARSERS[alphabet](value);
  return parsed.isValid ? parsed.value : [];
}

/** Arpabet is accepted for all languages, because Latin words occur in texts of all languages. */
function alphabetsOf(language: Language): readonly Alphabet[] {
  if (language === 'zh') return ['pinyin', 'arpabet'];
  if (language === 'ja') return ['romaji', 'arpabet'];
  return ['arpabet', 'pinyin', 'romaji'];
}

const NO_LETTER = /[^\p{L}\p{M}]+/gu;

/** A spelling of letters for a word that is given by its phonemes. */
export function spellingFor(written: string, phonemes: GivenPhonemes): string {
  const letters = written
    .normalize('NFC')
    .replace(NO_LETTER, '-')
    .replace(/^[-\p{M}]+|-+$/gu, '');
  return letters || phonemes.value.toLowerCase().replace(NO_LETTER, '') || 'x';
}
