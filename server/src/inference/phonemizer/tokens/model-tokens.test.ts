import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropPrecedingWords } from './model-tokens.ts';

const SPANS = [
  { start: 0, end: 2 },
  { start: 4, end: 6 },
  { start: 7, end: 9 },
];
const TEXT = { symbols: 'ab, cd ef.', wordSpans: SPANS };

test('the first token is the space before the first word', () => {
  const { text, firstToken } = dropPrecedingWords(TEXT, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 1);
  assert.equal(firstToken, 3);
  assert.deepEqual(text.wordSpans, SPANS.slice(1));
});

test('without a space the first token is the first phoneme', () => {
  const unspaced = { symbols: 'ab,cd', wordSpans: [SPANS[0]!, { start: 3, end: 5 }] };
  assert.equal(dropPrecedingWords(unspaced, [0, 1, 2, 3, 4], 1).firstToken, 3);
});

test('a text without context is unchanged, and one without words has no tokens', () => {
  const quoted = { symbols: '“ab', wordSpans: [{ start: 1, end: 3 }] };
  assert.deepEqual(dropPrecedingWords(quoted, [0, 1, 2], 0), { text: quoted, firstToken: 0 });
  assert.equal(dropPrecedingWords(TEXT, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 3).firstToken, 10);
});
