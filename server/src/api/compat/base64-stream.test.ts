import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { base64Parts } from './base64-stream.ts';

test('the parts, joined, are the base64 of all bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 10 })), async (chunks) => {
      const parts: string[] = [];
      const source = (async function* () {
        yield* chunks;
      })();
      for await (const part of base64Parts(source)) parts.push(part);
      assert.equal(parts.join(''), Buffer.concat(chunks).toString('base64'));
      assert.ok(!parts.includes(''));
    }),
  );
});
