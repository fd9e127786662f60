import { checkLength, invalid, type ParseResult } from './parse-result.ts';

const VOWEL_LETTERS = 'aeiouyæɐɑɒɔəɘɚɛɜɝɞɨɪɯɵøœʉʊʌʏɤᵻ';
const CONSONANT_LETTERS = 'bcdfhjklmnpqrstvwxzɡŋðθʃʒɕʑçɖʈɟɣɥɦħɫɭɬɱɲɳɴɸβɹɻɾɽʀʁʂʐʋʍʎχʔʝɰɓɗɠ';
/** Diacritics of the preceding phoneme: length, aspiration, palatalization, nasalization, syllabicity. */
const MODIFIERS = 'ːʰʲ\u0303\u0329';
const STRESS_MARKS = 'ˈˌ';
/** Separates phonemes that would otherwise be combined. */
const SEPARATORS = '.‿';
/** Tie bars, which are implied, and diacritics that no model distinguishes. */
const IGNORED = /\u0361|\u035c|\u032f|\u032a|\u02d1|\u0306/gu;

/** Delimiters of a pronunciation in dictionaries. */
const DELIMITERS = /^\s*[/[]|[/\]]\s*$/gu;

/** Canonical spellings of equivalent symbols. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ...{ g: 'ɡ', ʧ: 'tʃ', ʤ: 'dʒ', ʦ: 'ts', ʣ: 'dz', ʨ: 'tɕ', ʥ: 'dʑ', ꭧ: 'ʈʂ', ɝ: 'ɜː' },
  ...{ "'": 'ˈ', ',': 'ˌ', ':': 'ː', '|': ' ', ʷ: 'w' },
};
const COMPOUND = /^(?:t[ʃsɕ]|d[ʒzɕʑ]|ʈʂ|a[ɪʊ]|eɪ|ɔɪ|[oə]ʊ|eə)$/u;

/**
 * Parses IPA to phonemes. Affricates and diphthongs are one phoneme; the stress mark is moved from the start of the
 * syllable to before the vowel; a space separates words. Symbols that no engine supports are invalid.
 */
export function parseIpa(written: string): ParseResult<readonly string[]> {
  const phonemes: string[] = [];
  let stress = '';
  let isSeparate = true;
  for (const symbol of plainSymbols(written)) {
    const last = phonemes.at(-1);
    if (STRESS_MARKS.includes(symbol)) {
      stress = symbol;
      isSeparate = true;
    } else if (SEPARATORS.includes(symbol)) {
      isSeparate = true;
    } else if (symbol === ' ') {
      if (last !== undefined && last !== ' ') phonemes.push(' ');
      isSeparate = true;
    } else if (MODIFIERS.includes(symbol)) {
      if (last === undefined || last === ' ') return invalid(`${describeSymbol(symbol)} follows no phoneme`);
      phonemes[phonemes.length - 1] = last + symbol;
    } else if (!isSeparate && COMPOUND.test(letters(last!) + symbol)) {
      phonemes[phonemes.length - 1] = last + symbol;
    } else if (VOWEL_LETTERS.includes(symbol)) {
      phonemes.push(stress + symbol);
      stress = '';
      isSeparate = false;
    } else if (CONSONANT_LETTERS.includes(symbol)) {
      phonemes.push(symbol);
      isSeparate = false;
    } else {
      return invalid(`${describeSymbol(symbol)} is not a supported IPA symbol`);
    }
  }
  if (stress !== '') return invalid(`${describeSymbol(stress)} precedes no vowel`);
  if (phonemes.at(-1) === ' ') phonemes.pop();
  return checkLength(phonemes);
}

/** Decomposes diacritics, except for `ç`, and replaces equivalent symbols. */
function plainSymbols(written: string): string {
  const plain = written
    .replace(DELIMITERS, '')
    .normalize('NFD')
    .replaceAll('c\u0327', 'ç')
    .replace(IGNORED, '')
    .replace(/\s+/gu, ' ');
  return [...plain].map((symbol) => SPELLINGS[symbol] ?? symbol).join('');
}

function letters(phoneme: string): string {
  return phoneme.replace(/[ˈˌ]/gu, '');
}

function describeSymbol(symbol: string): string {
  return `${JSON.stringify(symbol)} (U+${symbol.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')})`;
}
