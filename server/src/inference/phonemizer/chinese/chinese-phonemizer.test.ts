import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SpokenWord } from '../../../text/piece.ts';
import { isKokoroSymbol } from '../tokens/kokoro-symbols.ts';
import { createChinesePhonemizer } from './chinese-phonemizer.ts';
import { readCharacters } from './chinese-readings.ts';

function word(text: string, after = '', before = ''): SpokenWord {
  return { text, start: 0, end: text.length, before, after };
}

const phonemizer = createChinesePhonemizer();

test('a sentence is written word by word, with tones and Latin punctuation', () => {
  const words = [
    word('请问', '，'),
    word('最近'),
    word('的'),
    word('地铁'),
    word('站'),
    word('怎么'),
    word('走', '？'),
  ];
  const { symbols, wordSpans } = phonemizer.phonemize(words);
  assert.equal(symbols, 'ʨʰi↓ŋwə↘n, ʦwei↘ʨi↘n tɤ ti↘tʰje↓ ꭧa↘n ʦə↓nmɤ ʦou↓?');
  const byWord = wordSpans.map(({ start, end }) => symbols.slice(start, end));
  assert.deepEqual(byWord, ['ʨʰi↓ŋwə↘n', 'ʦwei↘ʨi↘n', 'tɤ', 'ti↘tʰje↓', 'ꭧa↘n', 'ʦə↓nmɤ', 'ʦou↓']);
});

const POLYPHONES = [
  ['银行行长', 'yin2 hang2 hang2 zhang3'],
  ['音乐让人快乐', 'yin1 yue4 rang4 ren2 kuai4 le4'],
  ['觉得睡觉很重要', 'jue2 de0 shui4 jiao4 hen3 zhong4 yao4'],
  ['我只看了一半', 'wo3 zhi3 kan4 le0 yi2 ban4'],
  ['两只鸡', 'liang3 zhi1 ji1'],
  ['他长得很高', 'ta1 zhang3 de5 hen3 gao1'],
  ['头发很长', 'tou2 fa0 hen3 chang2'],
  ['我得走了', 'wo3 dei3 zou3 le0'],
  ['他跑得很快', 'ta1 pao3 de5 hen3 kuai4'],
  ['得到了', 'de2 dao4 le0'],
  ['还钱', 'huan2 qian2'],
  ['他还是来了', 'ta1 hai2 shi4 lai2 le0'],
  ['慢慢地走', 'man4 man4 de5 zou3'],
  ['地铁站', 'di4 tie3 zhan4'],
  ['解决不了', 'jie3 jue2 bu4 liao3'],
  ['不要', 'bu2 yao4'],
  ['老师教我们数学', 'lao3 shi1 jiao1 wo3 men0 shu4 xue2'],
  ['数一数', 'shu3 yi0 shu3'],
] as const;

test('polyphonic characters are read by their context', () => {
  for (const [text, readings] of POLYPHONES) {
    assert.equal(
      readCharacters(text)
        .map(({ syllable }) => syllable)
        .join(' '),
      readings,
      text,
    );
  }
});

test('numbers are split after hundreds and higher units', () => {
  const { symbols } = phonemizer.phonemize([word('百分之二十五')]);
  assert.equal(symbols, 'pai↓fə→n ꭧɨ→ ɚ↘ʂɨ↗u↓');
  assert.equal(phonemizer.phonemize([word('三百二十页')]).symbols, 'sa→npai↓ ɚ↘ʂɨ↗ je↘');
});

test('Latin words are passed to the Latin phonemizer, and omitted without one', () => {
  const words = [word('我'), word('用'), word('Kokoro', '。')];
  assert.equal(phonemizer.phonemize(words).symbols, 'wo↓ jʊ↘ŋ.');
  const latin = createChinesePhonemizer({
    phonemize: (latinWords) => ({
      symbols: 'kəkˈɔɹO',
      wordSpans: latinWords.map(() => ({ start: 0, end: 7 })),
    }),
  });
  const { symbols, wordSpans } = latin.phonemize(words);
  assert.equal(symbols, 'wo↓ jʊ↘ŋ kəkˈɔɹO.');
  assert.deepEqual(wordSpans[2], { start: 9, end: 16 });
});

test('a Latin letter inside a Chinese word is phonemized', () => {
  const latin = createChinesePhonemizer({
    phonemize: (words) => ({ symbols: 'tˈi', wordSpans: words.map(() => ({ start: 0, end: 3 })) }),
  });
  const { symbols, wordSpans } = latin.phonemize([word('买'), word('T恤')]);
  assert.equal(symbols, 'mai↓ tˈi ɕy↘');
  assert.deepEqual(wordSpans[1], { start: 5, end: symbols.length });
});

test('quotes and brackets stay with their words', () => {
  const words = [word('他'), word('说', '：'), word('好', '。”', '“')];
  assert.equal(phonemizer.phonemize(words).symbols, 'tʰa→ ʂwo→: “xau↓.”');
});

test('word segmentation changes the spans, not the phonemes', () => {
  const characters = [...'今天早上下了一场小雨空气特别清新'];
  const whole = phonemizer.phonemize([word(characters.join(''))]).symbols;
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }), (cuts) => {
      const parts: string[] = [];
      characters.forEach((character, index) => {
        if (index === 0 || cuts[index]) parts.push(character);
        else parts[parts.length - 1] += character;
      });
      const { symbols, wordSpans } = phonemizer.phonemize(parts.map((part) => word(part)));
      assert.equal(symbols, whole);
      const joined = wordSpans.map(({ start, end }) => symbols.slice(start, end)).join('');
      assert.equal(joined.replaceAll(' ', ''), whole.replaceAll(' ', ''));
    }),
  );
});

test('any text gives known symbols and ordered spans', () => {
  const anyWord = fc.record({
    text: fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[一-鿿]{1,4}$/)),
    before: fc.constantFrom('', '“', '（'),
    after: fc.constantFrom('', '，', '。', '！”'),
  });
  fc.assert(
    fc.property(fc.array(anyWord, { maxLength: 8 }), (parts) => {
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
