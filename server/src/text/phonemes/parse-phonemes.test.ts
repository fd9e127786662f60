import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LANGUAGES, type Language } from '../piece.ts';
import { parsePhonemes, phonemeParts } from './parse-phonemes.ts';

function read(written: string, language: Language = 'en-US'): string {
  const parsed = parsePhonemes(written, language);
  return parsed.isValid
    ? `${parsed.value.alphabet}: ${phonemeParts(parsed.value).join(' ')}`
    : parsed.problem;
}

const TABLE: readonly [language: Language, written: string, parts: string][] = [
  ['en-US', 'HH AH0 L OW1', 'arpabet: h ə l ˈoʊ'],
  ['en-US', '  EH1   N JH AH0 N ', 'arpabet: ˈɛ n dʒ ə n'],
  ['en-US', 'B AH T ER', 'arpabet: b ə t ˈɜː'],
  ['en-US', 'B AH', 'arpabet: b ˈʌ'],
  ['en-US', 'K AE2 T AH0 L AO1 G', 'arpabet: k ˌæ t ə l ˈɔː ɡ'],
  ['en-US', 'gong1', 'pinyin: gong1'],
  ['en-US', '/təˈmɑːtəʊ/', 'ipa: t ə m ˈɑː t əʊ'],
  ['fr', '/bɔ̃.ʒuʁ/', 'ipa: b ɔ̃ ʒ u ʁ'],
  ['en-GB', '/ˈt͡ʃaɪ.ɪŋ/', 'ipa: tʃ ˈaɪ ɪ ŋ'],
  ['en-GB', '/ɡʊd ˈdeɪ/', 'ipa: ɡ ʊ d   d ˈeɪ'],
  ['zh', 'chong2qing4', 'pinyin: chong2 qing4'],
  ['zh', 'lv4 nu:3 er5', 'pinyin: lü4 nü3 er5'],
  ['zh', 'K AO1 F IY0', 'arpabet: k ˈɔː f i'],
  ['ja', 'ha0shi1ga0', 'romaji: ハ シ ガ'],
  ['ja', 'to0o1kyo1o1', 'romaji: ト ー キョ ー'],
  ['ja', 'ga0cl1ko1o1', 'romaji: ガ ッ コ ー'],
  ['ja', 'ho1N0', 'romaji: ホ ン'],
  ['ja', 'de1sU0', 'romaji: デ ス'],
];

describe('phonemes', () => {
  for (const [language, written, parts] of TABLE) {
    it(`${written} in ${language} is ${parts}`, () => assert.equal(read(written, language), parts));
  }

  const REFUSED: readonly [language: Language, written: string, problem: RegExp][] = [
    ['en-US', 'HH AX9', /Arpabet has no symbol "AX9"/],
    ['en-US', 'hh ah l ow', /no symbol "hh"/],
    ['en-US', 'T1 AH0', /no symbol "T1"/],
    ['en-US', '', /no symbol ""/],
    ['en-US', '//', /no phoneme/],
    ['en-US', '/h@l/', /"@" \(U\+0040\) is not a supported IPA symbol/],
    ['en-US', '/ːa/', /follows no phoneme/],
    ['en-US', '/taˈ/', /precedes no vowel/],
    ['en-US', '/tˈs/', /precedes no vowel/],
    ['zh', 'zhung1', /no syllable "zhung"/],
    ['zh', 'zhong', /requires a tone number/],
    ['ja', 'ha2shi1', /morae with a pitch digit, not "ha2shi1"/],
    ['ja', 'hashi', /morae with a pitch digit/],
    ['en-US', 'T '.repeat(121), /more than 120 phonemes/],
    ['es', 'hola', /IPA must be between slashes/],
  ];
  for (const [language, written, problem] of REFUSED) {
    it(`${JSON.stringify(written.slice(0, 20))} in ${language} is refused`, () =>
      assert.match(read(written, language), problem));
  }

  it('any text is parsed or invalid, and valid phonemes have units', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom(...'ˈˌːəɪʊtʃdʒaeo01AH N/.') }),
        ),
        fc.constantFrom(...LANGUAGES),
        (written, language) => {
          const parsed = parsePhonemes(written, language);
          if (parsed.isValid) assert.ok(phonemeParts(parsed.value).length > 0);
          else assert.notEqual(parsed.problem, '');
        },
      ),
    );
  });
});
