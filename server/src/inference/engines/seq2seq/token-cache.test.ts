import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenCache } from './token-cache.ts';

const SHAPE = { tensors: 2, width: 6 };

/** Values that identify their token. */
function rows(...tokens: number[]): Float32Array[] {
  return [0, 1000].map((base) =>
    Float32Array.from({ length: 6 * tokens.length }, (_, index) => base + tokens[Math.floor(index / 6)]!),
  );
}

function contentOf(cache: TokenCache, tokens: number): number[][] {
  return cache.tensors(tokens).map((tensor) => [...(tensor.data as Float32Array)]);
}

const expected = (...tokens: number[]) => rows(...tokens).map((values) => [...values]);

test('tokens are stored in order, one or several per call', () => {
  const one = new TokenCache(SHAPE).append(0, rows(1, 2, 3)).append(3, rows(4));
  assert.deepEqual(contentOf(one, 4), expected(1, 2, 3, 4));
  assert.deepEqual(one.tensors(4)[0]!.dims, [1, 4, 6]);
});

test('the cache grows with the text', () => {
  const tokens = Array.from({ length: 300 }, (_, token) => token);
  const full = tokens.reduce((cache, token) => cache.append(token, rows(token)), new TokenCache(SHAPE));
  assert.deepEqual(contentOf(full, 300), expected(...tokens));
});

test('texts with a common prefix are independent', () => {
  const beginning = new TokenCache(SHAPE).append(0, rows(1));
  const one = beginning.append(1, rows(2));
  const other = beginning.append(1, rows(3));
  const longer = one.append(2, rows(4));
  assert.deepEqual(contentOf(beginning, 1), expected(1));
  assert.deepEqual(contentOf(longer, 3), expected(1, 2, 4));
  assert.deepEqual(contentOf(other, 2), expected(1, 3));
});
