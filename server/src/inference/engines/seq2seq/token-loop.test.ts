import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTokenLoop } from './token-loop.ts';

for (const { name, tokens, keep } of [
  { name: 'a text without repetition', tokens: [1, 2, 3, 4, 5, 6, 7, 8], keep: undefined },
  { name: 'a token three times', tokens: [9, 5, 5, 5], keep: undefined },
  { name: 'one token eight times', tokens: [9, ...Array<number>(8).fill(5)], keep: 2 },
  { name: 'two tokens four times, as in real speech', tokens: [9, 1, 2, 1, 2, 1, 2, 1, 2], keep: undefined },
  { name: 'two tokens five times', tokens: [9, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2], keep: 3 },
  {
    name: 'a sentence three times',
    tokens: [9, ...[1, 2, 3, 4, 5, 6], ...[1, 2, 3, 4, 5, 6], ...[1, 2, 3, 4, 5, 6]],
    keep: 7,
  },
  { name: 'an empty text', tokens: [], keep: undefined },
]) {
  test(`${name} ${keep === undefined ? 'is not a loop' : `is cut after ${keep} tokens`}`, () => {
    assert.equal(findTokenLoop(tokens), keep);
  });
}

test('a repetition that was spoken is not a loop', () => {
  const tokens = [9, ...[1, 2, 3, 4, 5, 6], ...[1, 2, 3, 4, 5, 6], ...[1, 2, 3, 4, 5, 6]];
  assert.equal(
    findTokenLoop(tokens, (cycle) => cycle === 6),
    undefined,
  );
});
