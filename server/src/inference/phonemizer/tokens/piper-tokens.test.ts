import assert from 'node:assert/strict';
import { test } from 'node:test';
import { piperTokens, readPiperTokensFile } from './piper-tokens.ts';

const tokensFile = '_ 0\n^ 1\n$ 2\n  3\na 14\nb 15\nˈ 120\n';

test('tokens include start, end and padding', () => {
  const vocabulary = readPiperTokensFile(tokensFile);
  assert.deepEqual(piperTokens('ˈa b', vocabulary), {
    ids: [1, 0, 120, 0, 14, 0, 3, 0, 15, 0, 2],
    symbolIndex: [-1, -1, 0, 0, 1, 1, 2, 2, 3, 3, -1],
  });
});

test('unknown symbols are omitted', () => {
  assert.deepEqual(piperTokens('#a', readPiperTokensFile(tokensFile)).ids, [1, 0, 14, 0, 2]);
});

test('a table without the required symbols is rejected', () => {
  assert.throws(() => readPiperTokensFile('a 1\n'), /lacks _/);
});
