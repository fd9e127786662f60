import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TimedToken, textOf, wordsOf } from './word-times.ts';

function tokensOf(...texts: (string | Uint8Array)[]): TimedToken[] {
  return texts.map((text, index) => ({
    bytes: typeof text === 'string' ? Buffer.from(text) : text,
    logProbability: Math.log(0.5),
    startSeconds: index,
  }));
}

const wordTexts = (...texts: (string | Uint8Array)[]) =>
  wordsOf(tokensOf(...texts), texts.length).map((word) => word.text);

test('a space starts a word, and punctuation belongs to the preceding word', () => {
  const words = wordsOf(tokensOf(' Hel', 'lo', ',', ' world', ' .'), 5);
  assert.deepEqual(
    words.map(({ text, startSeconds, endSeconds }) => [text, startSeconds, endSeconds]),
    [
      ['Hello,', 0, 3],
      ['world .', 3, 5],
    ],
  );
});

test('characters that are divided between tokens are joined', () => {
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
  assert.deepEqual(wordTexts(' caf', first, second, ' noir'), ['café', 'noir']);
  assert.equal(textOf(tokensOf(' caf', first)), ' caf');
});

test('scripts without spaces give one word per character', () => {
  assert.deepEqual(wordTexts('你', '好', '，', '世界'), ['你', '好，', '世界']);
});

test('tokens without text give no word', () => {
  assert.deepEqual(wordTexts('', ' '), []);
});

test('confidence is the mean of the tokens', () => {
  assert.ok(Math.abs(wordsOf(tokensOf(' a', 'b'), 2)[0]!.confidence - 0.5) < 1e-9);
});
