import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kokoroTokens, readKokoroTokenTable } from './kokoro-tokens.ts';

const table = readKokoroTokenTable(JSON.stringify({ model: { vocab: { $: 0, a: 43, ' ': 16, ꭧ: 23 } } }));

test('each known symbol becomes a token with its position', () => {
  assert.deepEqual(kokoroTokens('a ꭧa', table), { ids: [43, 16, 23, 43], symbolIndex: [0, 1, 2, 3] });
});

test('unknown symbols have no token, and offsets count UTF-16 units', () => {
  assert.deepEqual(kokoroTokens('a𝄞#a', table), { ids: [43, 43], symbolIndex: [0, 4] });
});

test('a file without a table is rejected', () => {
  assert.throws(() => readKokoroTokenTable('{}'), /no token table/);
});
