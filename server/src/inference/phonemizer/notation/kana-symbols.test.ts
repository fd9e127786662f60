import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isKokoroSymbol } from '../tokens/kokoro-symbols.ts';
import { isKana, moraSymbols, toKatakana } from './kana-symbols.ts';

const WORDS = [
  ['ケサ', 'kesa'],
  ['ガッコー', 'ɡaʔkoː'],
  ['トーキョー', 'toːkʲoː'],
  ['リンゴ', 'ɾʲiŋɡo'],
  ['サンポ', 'sampo'],
  ['ケンチク', 'keɲʨikɯ'],
  ['カンジ', 'kaɲʥi'],
  ['オンナ', 'onna'],
  ['セン', 'seɴ'],
  ['センセー', 'seɴseː'],
  ['ホンヤ', 'hoɴja'],
  ['ヲ', 'o'],
  ['ワタシ', 'βataɕi'],
  ['フジサン', 'ɸɯʥisaɴ'],
  ['ヒャク', 'çakɯ'],
  ['シュウ', 'ɕɨɯ'],
  ['ティー', 'tʲiː'],
  ['ウィスキー', 'βisɨkʲiː'],
  ['ヴァイオリン', 'vaioɾʲiɴ'],
  ['ファイル', 'ɸaiɾɯ'],
  ['ギェ', 'ɡʲe'],
  ['ッ', 'ʔ'],
  ['ンァ', 'ɴa'],
] as const;

test('kana are written in the symbols of the model', () => {
  for (const [kana, symbols] of WORDS) assert.equal(moraSymbols(kana).join(''), symbols, kana);
});

test('each mora has one entry', () => {
  assert.deepEqual(moraSymbols('ギュウニュウ'), ['ɡʲɨ', 'ɯ', 'ɲɨ', 'ɯ']);
  assert.deepEqual(moraSymbols('キッテ'), ['kʲi', 'ʔ', 'te']);
});

test('every pair of kana has known symbols', () => {
  const kana = Array.from({ length: 0x30fa - 0x30a1 + 1 }, (_, index) => String.fromCharCode(0x30a1 + index));
  for (const first of [...kana, 'ー']) {
    for (const second of ['', ...kana, 'ー']) {
      for (const symbol of moraSymbols(first + second).join(''))
        assert.ok(isKokoroSymbol(symbol), first + second);
    }
  }
});

test('characters other than kana are omitted', () => {
  assert.deepEqual(moraSymbols('漢A1 '), []);
  assert.equal(isKana('ありがとう'), true);
  assert.equal(isKana('スマホ'), true);
  assert.equal(isKana('食べる'), false);
  assert.equal(toKatakana('ゔぁいおりんA'), 'ヴァイオリンA');
});
