import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNT_CACHE_MS, Watermarks } from './watermarks.ts';

test('accounts are looked up once per second', async () => {
  let [nowMs, lookups, isWatermarked] = [0, 0, false];
  const watermarks = new Watermarks({
    secret: new Uint8Array(32),
    findAccount: async (id) => {
      lookups++;
      return { id, isWatermarked };
    },
    now: () => nowMs,
  });
  assert.equal(await watermarks.markFor('a'), undefined);
  assert.equal(await watermarks.markFor('a'), undefined);
  assert.equal(await watermarks.markFor('b'), undefined);
  assert.equal(lookups, 2);
  isWatermarked = true;
  nowMs = ACCOUNT_CACHE_MS;
  assert.equal((await watermarks.markFor('a'))?.number, watermarks.numberOf('a'));
  assert.equal((await watermarks.markFor('a'))?.number, watermarks.numberOf('a'));
  assert.equal(lookups, 3);
  isWatermarked = false;
  watermarks.forget('a');
  assert.equal(await watermarks.markFor('a'), undefined);
});
