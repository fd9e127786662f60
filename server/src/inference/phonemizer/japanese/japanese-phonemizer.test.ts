import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type TinyEntry,
  tinyDictionary,
} from '../../../../test/support/phonemizer/tiny-japanese-dictionary.ts';
import type { SpokenWord } from '../../../text/piece.ts';
import { isKokoroSymbol } from '../tokens/kokoro-symbols.ts';
import { loadJapaneseDictionary } from './japanese-dictionary.ts';
import { createJapanesePhonemizer } from './japanese-phonemizer.ts';
import { tokenizeJapanese } from './japanese-tokenizer.ts';

const ENTRIES: readonly TinyEntry[] = [
  ['今朝', '名詞', '副詞可能', 'ケサ', 100],
  ['今', '名詞', '副詞可能', 'イマ', 100],
  ['朝', '名詞', '副詞可能', 'アサ', 100],
  ['は', '助詞', '係助詞', 'ワ', 10],
  ['霧', '名詞', '一般', 'キリ', 100],
  ['が', '助詞', '格助詞', 'ガ', 10],
  ['見え', '動詞', '自立', 'ミエ', 100],
  ['ませ', '助動詞', '*', 'マセ', 10],
  ['ん', '助動詞', '*', 'ン', 10],
  ['習っ', '動詞', '自立', 'ナラッ', 100],
  ['て', '助詞', '接続助詞', 'テ', 10],
  ['い', '動詞', '非自立', 'イ', 50],
  ['ます', '助動詞', '*', 'マス', 10],
  ['いい', '形容詞', '自立', 'イイ', 60],
  ['先生', '名詞', '一般', 'センセイ', 100],
  ['三', '名詞', '数', 'サン', 50],
  ['百', '名詞', '数', 'ヒャク', 50],
  ['一', '名詞', '数', 'イチ', 50],
  ['三月', '名詞', '副詞可能', 'サンガツ', 60],
  ['本', '名詞', '接尾', 'ホン', 50],
  ['日', '名詞', '接尾', 'ニチ', 50],
  ['円', '名詞', '接尾', 'エン', 50],
  ['を', '助詞', '格助詞', 'ヲ', 10],
];
const dictionary = tinyDictionary(ENTRIES);
const phonemizer = createJapanesePhonemizer(dictionary);

function word(text: string, after = '', before = ''): SpokenWord {
  return { text, start: 0, end: text.length, before, after };
}

test('text is split into the words of least total cost', () => {
  const split = (text: string) => tokenizeJapanese(dictionary, text).map(({ surface }) => surface);
  assert.deepEqual(split('今朝は霧が'), ['今朝', 'は', '霧', 'が']);
  assert.deepEqual(split('今は朝'), ['今', 'は', '朝']);
  assert.deepEqual(split(''), []);
});

test('a run of unknown katakana is one word, and text after an unknown kanji is tokenized', () => {
  const split = (text: string) => tokenizeJapanese(dictionary, text).map(({ surface }) => surface);
  assert.deepEqual(split('スマホが'), ['スマホ', 'が']);
  assert.deepEqual(split('鱻が𠮷は'), ['鱻', 'が', '𠮷', 'は']);
});

const SENTENCES = [
  ['今朝は霧が見えません', 'kesa βa kʲiɾʲi ɡa mʲie maseɴ'],
  ['習っています', 'naɾaʔte imasɨ'],
  ['先生はいい', 'seɴseː βa iː'],
  ['スマホを', 'sɨmaho o'],
  ['三百円', 'sambʲakɯeɴ'],
  ['三本', 'samboɴ'],
  ['三月一日', 'saŋɡaʦɨ ʦɨitaʨi'],
  ['一日', 'iʨiɲiʨi'],
] as const;

test('sentences are written in the notation of the training text', () => {
  for (const [text, symbols] of SENTENCES) {
    assert.equal(phonemizer.phonemize([word(text)]).symbols, symbols, text);
  }
});

test('each word gets its own phonemes for any word segmentation', () => {
  const words = [word('今朝は', '、'), word('霧'), word('が'), word('見え'), word('ま'), word('せん', '。')];
  const { symbols, wordSpans } = phonemizer.phonemize(words);
  assert.equal(symbols, 'kesa βa, kʲiɾʲi ɡa mʲie maseɴ.');
  assert.deepEqual(
    wordSpans.map(({ start, end }) => symbols.slice(start, end)),
    ['kesa βa', 'kʲiɾʲi', 'ɡa', 'mʲie', 'ma', 'seɴ'],
  );
});

test('any text gives known symbols and ordered spans', () => {
  const surface = fc.constantFrom(...ENTRIES.map(([text]) => text), 'ア', 'ー', '鱻', 'Kokoro', '々');
  const anyWord = fc.record({
    text: fc.oneof(surface, fc.string({ unit: 'grapheme' })),
    before: fc.constantFrom('', '「', '“'),
    after: fc.constantFrom('', '、', '。', '！'),
  });
  fc.assert(
    fc.property(fc.array(anyWord, { maxLength: 10 }), (parts) => {
      const words = parts.map(({ text, before, after }) => word(text, after, before));
      const { symbols, wordSpans } = phonemizer.phonemize(words);
      for (const symbol of symbols) assert.ok(isKokoroSymbol(symbol), symbol);
      assert.equal(wordSpans.length, words.length);
      let last = 0;
      for (const { start, end } of wordSpans) {
        assert.ok(start >= last && end >= start && end <= symbols.length);
        last = end;
      }
    }),
  );
});

test('a missing or damaged dictionary file is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'japanese-dictionary-'));
  try {
    await assert.rejects(loadJapaneseDictionary(folder), /base\.dat\.gz cannot be read/);
    await writeFile(join(folder, 'base.dat.gz'), 'not gzip');
    await assert.rejects(loadJapaneseDictionary(folder), /base\.dat\.gz cannot be read/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
