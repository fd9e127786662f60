import { checkLength, invalid, type ParseResult } from './parse-result.ts';

const CONSONANTS: Readonly<Record<string, string>> = {
  ...{
    B: 'b',
    CH: 'tʃ',
    D: 'd',
    DH: 'ð',
    DX: 'ɾ',
    F: 'f',
    G: 'ɡ',
    HH: 'h',
    JH: 'dʒ',
    K: 'k',
    L: 'l',
    M: 'm',
  },
  ...{ N: 'n', NG: 'ŋ', P: 'p', Q: 'ʔ', R: 'ɹ', S: 's', SH: 'ʃ', T: 't', TH: 'θ', V: 'v', W: 'w', WH: 'w' },
  ...{ Y: 'j', Z: 'z', ZH: 'ʒ' },
};

/** Vowels with and without stress. */
const VOWELS: Readonly<Record<string, readonly [stressed: string, unstressed: string]>> = {
  AA: ['ɑː', 'ɑː'],
  AE: ['æ', 'æ'],
  AH: ['ʌ', 'ə'],
  AO: ['ɔː', 'ɔː'],
  AW: ['aʊ', 'aʊ'],
  AX: ['ə', 'ə'],
  AXR: ['ɚ', 'ɚ'],
  AY: ['aɪ', 'aɪ'],
  EH: ['ɛ', 'ɛ'],
  ER: ['ɜː', 'ɚ'],
  EY: ['eɪ', 'eɪ'],
  IH: ['ɪ', 'ɪ'],
  IX: ['ᵻ', 'ᵻ'],
  IY: ['iː', 'i'],
  OW: ['oʊ', 'oʊ'],
  OY: ['ɔɪ', 'ɔɪ'],
  UH: ['ʊ', 'ʊ'],
  UW: ['uː', 'uː'],
  UX: ['uː', 'uː'],
};

const STRESS_MARKS = ['', 'ˈ', 'ˌ'];

interface Symbol {
  readonly name: string;
  /** 0, 1 or 2, as written after a vowel. */
  readonly stress: number | undefined;
}

/**
 * Converts CMU Arpabet, such as `HH AH0 L OW1`, to IPA phonemes, with the stress mark before the vowel. A word
 * without stress digits is stressed on its first full vowel.
 */
export function parseArpabet(written: string): ParseResult<readonly string[]> {
  const symbols: Symbol[] = [];
  for (const part of written.trim().split(/\s+/)) {
    const match = /^([A-Z]{1,3})([012])?$/.exec(part);
    const name = match?.[1] ?? '';
    const stress = match?.[2] === undefined ? undefined : Number(match[2]);
    const isKnown = Object.hasOwn(VOWELS, name) || (stress === undefined && Object.hasOwn(CONSONANTS, name));
    if (!isKnown) return invalid(`Arpabet has no symbol ${JSON.stringify(part)}`);
    symbols.push({ name, stress });
  }
  return checkLength(withDefaultStress(symbols).map(toIpa));
}

function withDefaultStress(symbols: readonly Symbol[]): readonly Symbol[] {
  if (symbols.some(({ stress }) => stress !== undefined)) return symbols;
  const vowels = symbols.filter(({ name }) => Object.hasOwn(VOWELS, name));
  const bearer = vowels.find(({ name }) => !/^A(?:H|X|XR)$/.test(name)) ?? vowels[0];
  return symbols.map((symbol) => (symbol === bearer ? { ...symbol, stress: 1 } : symbol));
}

function toIpa({ name, stress = 0 }: Symbol): string {
  const vowel = VOWELS[name];
  return vowel === undefined ? CONSONANTS[name]! : STRESS_MARKS[stress]! + vowel[stress > 0 ? 0 : 1];
}
