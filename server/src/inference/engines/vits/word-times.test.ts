import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeWords } from './word-times.ts';

test('a word spans from its first symbol to the pad after its last, with a small margin', () => {
  // Start, pad, a b, space, c, full stop, end; a pad follows every symbol of the text.
  const tokens = {
    ids: [1, 0, 5, 0, 6, 0, 3, 0, 7, 0, 8, 0, 2],
    symbolIndex: [-1, -1, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, -1],
  };
  const times = timeWords({
    symbols: 'ab c.',
    wordSpans: [
      { start: 0, end: 2 },
      { start: 2, end: 2 },
      { start: 3, end: 4 },
    ],
    tokens,
    tokenFrames: Int32Array.from([1, 1, 2, 1, 3, 1, 4, 1, 2, 2, 5, 1, 1]),
    secondsPerFrame: 0.5,
  });
  assert.deepEqual(times, [
    { wordIndex: 0, startSeconds: 1, endSeconds: 4.6 },
    { wordIndex: 2, startSeconds: 6.98, endSeconds: 9.1 },
  ]);
});
