import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TokenBytes } from './token-bytes.ts';

test('every token has its bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.uint8Array(), { nil: undefined })), (tokens) => {
      const bytes = new TokenBytes(tokens);
      for (const [id, token] of tokens.entries()) {
        assert.deepEqual([...bytes.of(id)], [...(token ?? [])]);
      }
    }),
  );
});

test('an unknown token has no text', () => {
  const bytes = new TokenBytes([Uint8Array.of(1), Uint8Array.of(2)]);
  for (const token of [2, 3, 50_000]) assert.equal(bytes.of(token).length, 0);
});
