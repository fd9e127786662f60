import type { GivenPhonemes, Language } from '../piece.ts';
import { parseArpabet } from './arpabet.ts';
import { parseIpa } from './ipa.ts';
import type { ParseResult } from './parse-result.ts';
import { parsePinyin } from './pinyin.ts';
import { parseRomaji } from './romaji.ts';

type Alphabet = GivenPhonemes['alphabet'];

/** How each alphabet is read. Arpabet and IPA give IPA phonemes, pinyin syllables, romaji morae in katakana. */
const PARSERS: Readonly<Record<Alphabet, (written: string) => ParseResult<readonly string[]>>> = {
  arpabet: parseArpabet,
  pinyin: parsePinyin,
  romaji: parseRomaji,
  ipa: parseIpa,
};
const IN_SLASHES = /^\s*\/(.*)\/\s*$/su;

/**
 * Reads phonemes as they stand in a phoneme span or a dictionary: IPA between slashes, else Arpabet, pinyin
 * or romaji, as the text's language has them.
 */
export function parsePhonemes(written: string, language: Language): ParseResult<GivenPhonemes> {
  const ipa = IN_SLASHES.exec(written)?.[1];
  if (ipa !== undefined) return parseInAlphabet('ipa', ipa);
  const attempts = alphabetsOf(language).map((alphabet) => parseInAlphabet(alphabet, written));
  const parsed = attempts.find((attempt) => 'value' in attempt);
  if (parsed) return parsed;
  const [own] = attempts;
  return { problem: `${'problem' in own! ? own.problem : ''}; IPA stands between slashes` };
}

/** Reads phonemes in an alphabet that is known. */
export function parseInAlphabet(alphabet: Alphabet, written: string): ParseResult<GivenPhonemes> {
  const parsed = PARSERS[alphabet](written);
  return 'problem' in parsed ? parsed : { value: { alphabet, value: written.trim() } };
}

/** The parts of phonemes that were read before: IPA phonemes, syllables or morae by their alphabet. */
export function phonemeParts({ alphabet, value }: GivenPhonemes): readonly string[] {
  const parsed = PARSERS[alphabet](value);
  return 'value' in parsed ? parsed.value : [];
}

/** Latin words stand in texts of any language, so Arpabet does too. */
function alphabetsOf(language: Language): readonly Alphabet[] {
  if (language === 'zh') return ['pinyin', 'arpabet'];
  if (language === 'ja') return ['romaji', 'arpabet'];
  return ['arpabet', 'pinyin', 'romaji'];
}

const NO_LETTER = /[^\p{L}\p{M}]+/gu;

/** Letters to stand for a word that is given by its sound, in case its spelling is asked for. */
export function spellingFor(written: string, phonemes: GivenPhonemes): string {
  const letters = written
    .normalize('NFC')
    .replace(NO_LETTER, '-')
    .replace(/^[-\p{M}]+|-+$/gu, '');
  return letters || phonemes.value.toLowerCase().replace(NO_LETTER, '') || 'x';
}
