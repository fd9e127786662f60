import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeClockTimes } from './clock-times.ts';

function wordsOf(text: string) {
  return text
    .split(' ')
    .map((word, index) => ({ text: word, startSeconds: index, endSeconds: index + 1, confidence: 0.9 }));
}

for (const [spoken, written, language = 'en'] of [
  ['It leaves at 6.40 PM.', 'It leaves at 6:40 PM.'],
  ['at 6.40 p.m. today', 'at 6:40 p.m. today'],
  ['at 11.05am sharp', 'at 11:05am sharp'],
  ['It weighs 6.40 pounds.', 'It weighs 6.40 pounds.'],
  ['It is 6.40.', 'It is 6.40.'],
  ['at 6.75 PM', 'at 6.75 PM'],
  ['at 16.40 PM', 'at 16.40 PM'],
  ['um 6.40 PM', 'um 6.40 PM', 'de'],
] as const) {
  test(`${language}: "${spoken}" is written "${written}"`, () => {
    const words = writeClockTimes(wordsOf(spoken), language);
    assert.equal(words.map(({ text }) => text).join(' '), written);
  });
}
