import { checkLength, type ParseResult } from './parse-result.ts';

const VOWEL_LETTERS = 'aeiouyæɐɑɒɔəɘɚɛɜɝɞɨɪɯɵøœʉʊʌʏɤᵻ';
const CONSONANT_LETTERS = 'bcdfhjklmnpqrstvwxzɡŋðθʃʒɕʑçɖʈɟɣɥɦħɫɭɬɱɲɳɴɸβɹɻɾɽʀʁʂʐʋʍʎχʔʝɰɓɗɠ';
/** What changes the sound before it: length, aspiration, palatal, nasal, syllabic. */
const MODIFIERS = 'ːʰʲ\u0303\u0329';
const STRESS_MARKS = 'ˈˌ';
/** Parts sounds that would otherwise be read as one; makes no sound of its own. */
const SEPARATORS = '.‿';
/** Ties two letters into one sound, which is understood without it; marks no model tells apart. */
const IGNORED = /\u0361|\u035c|\u032f|\u032a|\u02d1|\u0306/gu;

/** The marks that dictionaries put around a pronunciation. */
const AROUND = /^\s*[/[]|[/\]]\s*$/gu;

/** One way to write what can be written in several. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ...{ g: 'ɡ', ʧ: 'tʃ', ʤ: 'dʒ', ʦ: 'ts', ʣ: 'dz', ʨ: 'tɕ', ʥ: 'dʑ', ꭧ: 'ʈʂ', ɝ: 'ɜː' },
  ...{ "'": 'ˈ', ',': 'ˌ', ':': 'ː', '|': ' ', ʷ: 'w' },
};
const COMPOUND = /^(?:t[ʃsɕ]|d[ʒzɕʑ]|ʈʂ|a[ɪʊ]|eɪ|ɔɪ|[oə]ʊ|eə)$/u;

/**
 * Reads IPA as phonemes: one entry for each, affricates and diphthongs together, the stress mark moved from
 * the start of its syllable to before its vowel. A space parts words. Refuses symbols that no engine knows.
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
      if (last === undefined || last === ' ') return { problem: `${named(symbol)} has no sound before it` };
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
      return { problem: `${named(symbol)} is no IPA symbol that the voices know` };
    }
  }
  if (stress !== '') return { problem: `${named(stress)} has no vowel after it` };
  if (phonemes.at(-1) === ' ') phonemes.pop();
  return checkLength(phonemes);
}

/** Accents apart from their letters, except for the one letter that has its own sound with it. */
function plainSymbols(written: string): string {
  const plain = written
    .replace(AROUND, '')
    .normalize('NFD')
    .replaceAll('c\u0327', 'ç')
    .replace(IGNORED, '')
    .replace(/\s+/gu, ' ');
  return [...plain].map((symbol) => SPELLINGS[symbol] ?? symbol).join('');
}

function letters(phoneme: string): string {
  return phoneme.replace(/[ˈˌ]/gu, '');
}

function named(symbol: string): string {
  return `${JSON.stringify(symbol)} (U+${symbol.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')})`;
}
