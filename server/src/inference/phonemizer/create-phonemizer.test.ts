import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { lettersOf, wordsOf } from '../../../test/support/phonemizer/phonemizer-words.ts';
import { PACKAGE_ROOT } from '../../config/package-info.ts';
import type { PhonemizedText, Phonemizer } from '../../domain/engines/phonemizer.ts';
import { ApiError } from '../../errors.ts';
import type { Language, SpokenWord } from '../../text/piece.ts';
import { createPhonemizer } from './create-phonemizer.ts';
import { isKokoroSymbol } from './tokens/kokoro-symbols.ts';

const DATA_FOLDER = fileURLToPath(new URL('assets/phonemes', PACKAGE_ROOT));
const LEXICON = ';;; made for this test\nCHOPRA\tʧˈɑpɹə\nPATEL\tpətˈɛl\nQUIBBLETON\tkwˈɪbəltən\n';

const AMERICAN: readonly [string, string][] = [
  ['The end of the road, a boat to an island.', 'ði ˈɛnd ʌv ðə ɹˈOd, ɐ bˈOt tʊ ɐn ˈIlənd.'],
  ['I am here to stay.', 'ˌI ɐm hˈɪɹ tə stˈA.'],
  ['The water is getting better.', 'ðə wˈɔTəɹ ɪz ɡˌɛTɪŋ bˈɛTəɹ.'],
  ["The buses' doors and Chopra's houses.", 'ðə bˈʌsᵻz dˈɔɹz ænd ʧˈɑpɹəz hˈWsᵻz.'],
  ["You've met my cousin, haven't you?", 'jˌuv mˈɛt mI kˈʌzᵊn, hˈævᵊnt ju?'],
  ['They will record a new record.', 'ðˌA wɪl ɹəkˈɔɹd ɐ nˈu ɹˈɛkəɹd.'],
  ['the wind was too strong to wind the sail', 'ðə wˈɪnd wʌz tˈu stɹˈɔŋ tə wˈInd ðə sˈAl'],
  ['He could lead if the lead pipes were light.', 'hˌi kʊd lˈid ɪf ðə lˈɛd pˈIps wɜɹ lˈIt.'],
  ['a well-known café', 'ɐ wˌɛlnˈOn kæfˈA'],
  ['Polish people polish it', 'pˈOlɪʃ pˈipᵊl pˈɑlɪʃ ɪt'],
  ['THIS is NASA', 'ðˈɪs ɪz nˈæsə'],
  ['the US told us', 'ðə jˌuˈɛs tˈOld ˌʌs'],
  ['She took a bow with a bow tie.', 'ʃˌi tˈʊk ɐ bˈW wɪð ɐ bˈO tˈI.'],
  ['The dove dove into a minute hole.', 'ðə dˈʌv dˈOv ˈɪntu ɐ mInˈut hˈOl.'],
  ['the minute hand, the Champs-Élysées', 'ðə mˈɪnət hˈænd, ðə ʃˌɑnzəlizˈA'],
  ['“Well… maybe,” she said—no!', '“wˈɛl… mˈAbi,” ʃi sˈɛd— nˈO!'],
  ['Dr Patel met Quibbleton', 'dˈɑktəɹ pətˈɛl mˈɛt kwˈɪbᵊltᵊn'],
  ['Xi Jinping bought the neighbors’ house.', 'ʃˈi ʤˈɪnpɪŋ bˈɔt ðə nˈAbəɹz hˈWs.'],
  ['the sheikh’s Siobhan', 'ðə ʃˈiks ʃəvˈɔn'],
];

const BRITISH: readonly [string, string][] = [
  ['The water in the car park is not so cold.', 'ðə wˈɔːtə ɪn ðə kˈɑː pˈɑːk ɪz nˌɒt sˌQ kˈQld.'],
  ['I am hearing the schedule here.', 'ˌI ɐm hˈɪəɹɪŋ ðə ʃˈɛdjuːl hˈɪə.'],
  ['hair and bath', 'hˈɛː and bˈɑːθ'],
];

const OTHERS: readonly [Language, string, string][] = [
  ['es', 'El niño está aquí, ¿dónde?', 'el nˈiɲo estˈa akˈi, dˈonde?'],
  ['fr', 'Les amis boivent un bon vin.', 'lez amˈi bwˈavt œ̃ bˈɔ̃ vˈɛ̃.'],
  ['fr', 'Le prochain arrêt', 'lə pʁoʃˈɛ̃n aʁˈɛ'],
  ['fr', 'Mardi prochain à midi', 'maʁdˈi pʁoʃˈɛ̃ a midˈi'],
  ['it', 'La pizza è già pronta!', 'la pˈiʦːa e ʤˈa prˈonta!'],
  ['pt-BR', 'O pão de queijo.', 'ʊ pˈɐ̃ʊ̃ ʤy kˈAʒʊ.'],
  ['hi', 'लड़का घर है।', 'lˈʌɽkˌaː ɡʰˈʌɾ hɛː.'],
];

function checkShape(words: readonly SpokenWord[], { symbols, wordSpans }: PhonemizedText): void {
  assert.equal(wordSpans.length, words.length);
  let position = 0;
  for (const { start, end } of wordSpans) {
    assert.ok(start >= position && end >= start && end <= symbols.length, `${start}-${end} in ${symbols}`);
    position = end;
  }
}

describe('phonemizer', () => {
  let phonemizer: Phonemizer;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'phonemes-'));
    const lexiconPath = join(folder, 'en-us.txt');
    await writeFile(lexiconPath, LEXICON);
    phonemizer = await createPhonemizer({ dataFolder: DATA_FOLDER, lexiconPath });
  });

  after(() => rm(folder, { recursive: true }));

  for (const [text, symbols] of AMERICAN) {
    test(`American: ${text}`, () => {
      assert.equal(phonemizer.kokoro(wordsOf(text), 'en-US').symbols, symbols);
    });
  }

  for (const [text, symbols] of BRITISH) {
    test(`British: ${text}`, () => {
      assert.equal(phonemizer.kokoro(wordsOf(text), 'en-GB').symbols, symbols);
    });
  }

  for (const [language, text, symbols] of OTHERS) {
    test(`${language}: ${text}`, () => {
      assert.equal(phonemizer.kokoro(wordsOf(text), language).symbols, symbols);
    });
  }

  test('a word with its own accent is phonemized in it', () => {
    const british = wordsOf('The water is cold;').map((word) => ({ ...word, accent: 'en-GB' as const }));
    const words = [...wordsOf('Hello, Bob.'), ...british, ...wordsOf('the water is not.')];
    const text = phonemizer.kokoro(words, 'en-US');
    checkShape(words, text);
    assert.equal(text.symbols, 'həlˈO, bˈɑb. ðə wˈɔːtə ɪz kˈQld; ðə wˈɔTəɹ ɪz nˌɑt.');
    const italian = wordsOf('La pizza').map((word) => ({ ...word, accent: 'en-GB' as const }));
    assert.equal(
      phonemizer.kokoro(italian, 'it').symbols,
      phonemizer.kokoro(wordsOf('La pizza'), 'it').symbols,
    );
  });

  test('letters of one abbreviation are stressed as one word, each with its own span', () => {
    const { symbols, wordSpans } = phonemizer.kokoro([...lettersOf('FBI'), ...wordsOf('agent')], 'en-US');
    assert.equal(symbols, 'ˌɛfbˌiˈI ˈAʤᵊnt');
    assert.deepEqual(
      wordSpans.map(({ start, end }) => symbols.slice(start, end)),
      ['ˌɛf', 'bˌi', 'ˈI', 'ˈAʤᵊnt'],
    );
  });

  test('Piper text is espeak IPA with punctuation, and joined words keep their own spans', () => {
    const words = wordsOf('The end of the world, and I am at it.');
    const { symbols, wordSpans } = phonemizer.espeakIpa(words, 'en-us');
    assert.equal(symbols, 'ðɪ ˈɛnd ʌvðə wˈɜːld, ænd aɪɐm ˈæɾɪt.');
    assert.deepEqual(
      wordSpans.map(({ start, end }) => symbols.slice(start, end)),
      ['ðɪ', 'ˈɛnd', 'ʌv', 'ðə', 'wˈɜːld', 'ænd', 'aɪ', 'ɐm', 'ˈæɾ', 'ɪt'],
    );
  });

  test('any text in any language gives known symbols and ordered spans', () => {
    const language = fc.constantFrom<Language>('en-US', 'en-GB', 'es', 'fr', 'it', 'pt-BR', 'hi');
    const word = fc.record({
      text: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.constantFrom(
          'of',
          'the',
          'naïve',
          'привет',
          '日本',
          'l’amie',
          'x'.repeat(300),
          '[[h@l]]',
          '<p>',
          '',
        ),
      ),
      start: fc.constant(0),
      end: fc.constant(0),
      before: fc.constantFrom('', '“', '(', '¿', '\u0000'),
      after: fc.constantFrom('', ',', '.', '?!', '…', '” ', '。'),
    });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), language, (words, tag) => {
        const text = phonemizer.kokoro(words, tag);
        checkShape(words, text);
        for (const symbol of text.symbols) assert.ok(isKokoroSymbol(symbol), JSON.stringify(symbol));
        checkShape(words, phonemizer.espeakIpa(words, 'en-us'));
      }),
      { numRuns: 60 },
    );
  });

  test('a clause of a thousand words is phonemized completely', () => {
    const words = wordsOf('over and over '.repeat(400));
    for (const text of [phonemizer.kokoro(words, 'es'), phonemizer.espeakIpa(words, 'en-us')]) {
      checkShape(words, text);
      assert.ok(text.wordSpans.every(({ start, end }) => end > start));
    }
  });

  test('no words give an empty text', () => {
    assert.deepEqual(phonemizer.kokoro([], 'en-US'), { symbols: '', wordSpans: [] });
    assert.deepEqual(phonemizer.kokoro([], 'fr'), { symbols: '', wordSpans: [] });
  });

  test('a language is rejected until it is installed', () => {
    assert.throws(
      () => phonemizer.kokoro([], 'ja'),
      (error) => error instanceof ApiError && error.code === 'language_not_supported',
    );
    phonemizer.install('ja', { phonemize: () => ({ symbols: 'kˈa', wordSpans: [] }) });
    assert.equal(phonemizer.kokoro([], 'ja').symbols, 'kˈa');
    assert.ok(phonemizer.languages.includes('ja'));
  });

  test('an unknown espeak voice is rejected', () => {
    for (const voice of ['xx-none', '', '../etc']) {
      assert.throws(() => phonemizer.espeakIpa([], voice), { code: 'language_not_supported' });
    }
  });

  test('a missing dictionary folder rejects', async () => {
    await assert.rejects(createPhonemizer({ dataFolder: join(folder, 'nowhere') }), /ENOENT/);
  });
});
