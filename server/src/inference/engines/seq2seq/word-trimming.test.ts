import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trimToAudibleSpan } from './word-trimming.ts';

/** A tone in the given spans, silence elsewhere. */
function toneIn(seconds: number, ...spans: (readonly [number, number])[]): Float32Array {
  return Float32Array.from({ length: seconds * 16_000 }, (_, index) => {
    const at = index / 16_000;
    return spans.some(([from, to]) => at >= from && at < to) ? 0.3 * Math.sin(index / 5) : 0;
  });
}

const word = (startSeconds: number, endSeconds: number) => ({
  text: 'a',
  startSeconds,
  endSeconds,
  confidence: 1,
});

test('pauses before and after a word are not part of it', () => {
  const [trimmed] = trimToAudibleSpan([word(0, 2)], toneIn(2, [0.5, 1.2]));
  assert.equal(trimmed?.startSeconds, 0.5);
  assert.equal(trimmed?.endSeconds, 1.2);
});

test('a short pause at the start or end belongs to the word', () => {
  const [trimmed] = trimToAudibleSpan([word(0.45, 1.25)], toneIn(2, [0.5, 1.2]));
  assert.deepEqual([trimmed?.startSeconds, trimmed?.endSeconds], [0.45, 1.25]);
});

test('the times of a word in silence do not change', () => {
  assert.deepEqual(trimToAudibleSpan([word(1, 1.5)], new Float32Array(32_000)), [word(1, 1.5)]);
});
