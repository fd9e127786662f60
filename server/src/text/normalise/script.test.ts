import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dominantScript, hasSpeech } from './script.ts';

describe('speakable text', () => {
  for (const text of ['a', '7', '你好', '(hello)', '[12] x', '…ok', '1️⃣']) {
    it(`${JSON.stringify(text)} has speech`, () => assert.equal(hasSpeech(text), true));
  }
  for (const text of [
    '',
    ' \n',
    '...?!',
    '😀👍',
    '\ud800',
    '\u0000\u200b',
    '(sad)[laughing]',
    '<|speaker:0|>',
    '---',
  ]) {
    it(`${JSON.stringify(text)} has none`, () => assert.equal(hasSpeech(text), false));
  }
});

describe('dominant script', () => {
  const table: [string, string | undefined][] = [
    ['Hello, мир and friends', 'Latin'],
    ['今天天气很好', 'Han'],
    ['今日は天気がいい', 'Kana'],
    ['आज मौसम अच्छा है', 'Devanagari'],
    ['Привет, world', 'Cyrillic'],
    ['안녕하세요', 'Hangul'],
    ['مرحبا', 'Arabic'],
    ['สวัสดี', 'Thai'],
    ['καλημέρα', 'Greek'],
    ['שלום', 'Hebrew'],
    ['(sad) 你好', 'Han'],
    ['ab мы', 'Latin'],
    ['мы ab', 'Cyrillic'],
    ['é мы (sad) a', 'Latin'],
    ['123 !?', undefined],
  ];
  for (const [text, script] of table) {
    it(`${JSON.stringify(text)} is ${script}`, () => assert.equal(dominantScript(text), script));
  }
});
