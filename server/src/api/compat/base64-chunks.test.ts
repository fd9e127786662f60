import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toBase64Chunks } from './base64-chunks.ts';

test('the concatenated chunks are the base64 encoding of all bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 10 })), async (chunks) => {
      const parts: string[] = [];
      const source = (async function* () {
        yield* chunks;
      })();
      for await (const part of toBase64Chunks(source)) parts.push(part);
      assert.equal(parts.join(''), Buffer.concat(chunks).toString('base64'));
      assert.ok(!parts.includes(''));
    }),
  );
});
