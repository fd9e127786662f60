import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { wordsOf } from '../../../../test/support/phonemizer/phonemizer-words.ts';
import { PACKAGE_ROOT } from '../../../config/package-info.ts';
import type { Phonemizer } from '../../../domain/engines/phonemizer.ts';
import type { GivenPhonemes, Language, SpokenWord } from '../../../text/piece.ts';
import { createChinesePhonemizer } from '../chinese/chinese-phonemizer.ts';
import { createPhonemizer } from '../create-phonemizer.ts';
import { isKokoroSymbol } from '../tokens/kokoro-symbols.ts';

const DATA_FOLDER = fileURLToPath(new URL('assets/phonemes', PACKAGE_ROOT));
let phonemizer: Phonemizer;
before(async () => {
  phonemizer = await createPhonemizer({ dataFolder: DATA_FOLDER });
  phonemizer.install('zh', createChinesePhonemizer());
});

/** Words of a text, with the word X replaced by phonemes. */
function withPhonemes(text: string, phonemes: GivenPhonemes): SpokenWord[] {
  return wordsOf(text).map((word) => (word.text === 'X' ? { ...word, text: 'na', phonemes } : word));
}

const IN_KOKORO: readonly [Language, string, GivenPhonemes, string][] = [
  ['en-US', 'The X is here.', { alphabet: 'arpabet', value: 'EH1 N JH AH0 N' }, 'ði ˈɛnʤən ɪz hˈɪɹ.'],
  ['en-US', 'Give it to X, now.', { alphabet: 'arpabet', value: 'W AO1 T ER0' }, 'ɡˈɪv ɪt tə wˈɔTəɹ, nˈW.'],
  ['en-GB', 'The X', { alphabet: 'arpabet', value: 'G OW1 ER0' }, 'ðə ɡˈQə'],
  ['en-GB', 'A X', { alphabet: 'ipa', value: 'təˈmɑːtəʊ' }, 'ɐ təmˈɑːtQ'],
  ['en-US', 'A X', { alphabet: 'ipa', value: 'ˈt͡ʃɝt͡ʃ' }, 'ɐ ʧˈɜɹʧ'],
  ['fr', 'Le X arrive.', { alphabet: 'ipa', value: 'ʃaˈto' }, 'lə ʃatˈo aʁˈiv.'],
  ['zh', '我在 X 工作', { alphabet: 'pinyin', value: 'chong2 qing4' }, 'wo↓ ʦai↘ ꭧʰʊ↗ŋʨʰi↘ŋ kʊ→ŋʦwo↘'],
  ['en-US', 'X', { alphabet: 'romaji', value: 'to0o1kyo1o1' }, 'toːkʲoː'],
];

describe('given phonemes', () => {
  for (const [language, text, phonemes, symbols] of IN_KOKORO) {
    test(`${phonemes.value} in ${language} is ${symbols} for Kokoro`, () => {
      const words = withPhonemes(text, phonemes);
      const spoken = phonemizer.kokoro(words, language);
      assert.equal(spoken.symbols, symbols);
      const { start, end } = spoken.wordSpans[words.findIndex((word) => word.phonemes)]!;
      assert.ok(end > start && !/[\s,.]/.test(spoken.symbols.slice(start, end)));
    });
  }

  const IN_PIPER: readonly [string, GivenPhonemes, string][] = [
    ['en-us', { alphabet: 'arpabet', value: 'EH1 N JH AH0 N' }, 'ðə ˈɛndʒən.'],
    ['en-gb-x-rp', { alphabet: 'arpabet', value: 'G OW1 ER0' }, 'ðə ɡˈəʊə.'],
    ['en-us', { alphabet: 'ipa', value: 'ʨa' }, 'ðə tɕa.'],
    ['en-us', { alphabet: 'pinyin', value: 'ma1' }, 'ðə mˈɑ5.'],
    ['en-us', { alphabet: 'romaji', value: 'ne1ko0' }, 'ðə nˈe̞ko̞.'],
  ];
  for (const [voice, phonemes, symbols] of IN_PIPER) {
    test(`${phonemes.value} is ${symbols} for a Piper voice of ${voice}`, () => {
      const { symbols: spoken } = phonemizer.espeakIpa(withPhonemes('The X.', phonemes), voice);
      assert.equal(spoken.normalize('NFC'), symbols.normalize('NFC'));
    });
  }

  test('Arpabet of common words equals their dictionary entries', () => {
    const words = {
      water: 'W AO1 T ER0',
      engine: 'EH1 N JH AH0 N',
      little: 'L IH1 T AH0 L',
      church: 'CH ER1 CH',
      voice: 'V OY1 S',
      south: 'S AW1 TH',
      measure: 'M EH1 ZH ER0',
      year: 'Y IH1 R',
    };
    for (const [word, value] of Object.entries(words)) {
      const given = phonemizer.kokoro(withPhonemes('X', { alphabet: 'arpabet', value }), 'en-US');
      assert.equal(given.symbols, phonemizer.kokoro(wordsOf(word), 'en-US').symbols, word);
    }
  });

  const ipaLetters = [
    ...'aeiouyæɐɑɒɔəɘɚɛɜɝɞɨɪɯɵøœʉʊʌʏɤᵻbcdfhjklmnpqrstvwxzɡŋðθʃʒɕʑçɖʈɟɣɥɦħɫɭɬɱɲɳɴɸβɹɻɾɽʀʁʂʐʋʍʎχʔʝɰɓɗɠ',
  ];
  for (const language of ['en-US', 'en-GB', 'es', 'zh'] as const) {
    test(`every IPA letter has symbols in ${language}`, () => {
      for (const value of ipaLetters) {
        const { symbols } = phonemizer.kokoro(withPhonemes('X', { alphabet: 'ipa', value }), language);
        assert.ok(symbols !== '' && [...symbols].every(isKokoroSymbol), `${value}: ${symbols}`);
      }
    });
  }
});
