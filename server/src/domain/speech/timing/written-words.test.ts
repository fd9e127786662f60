import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textToPieces } from '../../../text/front-end/text-to-pieces.ts';
import type { Language } from '../../../text/piece.ts';
import { timeWrittenWords } from './written-words.ts';

/** Every spoken word takes one second; `silent` lists the indices of words without audio. */
function timed(text: string, language: Language = 'en-US', silent: readonly number[] = []) {
  const options = { normalize: true, chunkLength: 300, minChunkLength: 50, cueStyle: 'both' } as const;
  const words = [...textToPieces(text, { ...options, language })].flatMap((piece) => piece.words);
  const times = new Map(
    words
      .map((_, wordIndex) => ({ wordIndex, startSeconds: wordIndex, endSeconds: wordIndex + 1 }))
      .filter(({ wordIndex }) => !silent.includes(wordIndex))
      .map((time) => [time.wordIndex, time]),
  );
  return timeWrittenWords(words, times, {
    shiftSeconds: 0,
    speechStartSeconds: 0,
    speechEndSeconds: undefined,
    textOf: (start, end) => text.slice(start, end),
  });
}

const CASES: readonly (readonly [string, string, Language?])[] = [
  ['It costs $5, Dr. Who.', 'It costs $5 Dr. Who'],
  ['On May 4, 2024 at 3:15 p.m.', 'On May 4 2024 at 3:15 p.m.'],
  ['(happy) Read 1,234,567 pages!', 'Read 1,234,567 pages'],
  ['你好，世界。', '你 好 世 界', 'zh'],
  ['東京に行きます。', '東京 に 行き ます', 'ja'],
];

for (const [text, expected, language] of CASES) {
  test(`written words of ${text}`, () => {
    const words = timed(text, language);
    assert.equal(words.map((word) => word.text).join(' '), expected);
    let last = 0;
    for (const { text: written, startSeconds, endSeconds, charStart, charEnd } of words) {
      assert.equal(text.slice(charStart, charEnd), written);
      assert.ok(startSeconds >= last - 1e-9 && endSeconds > startSeconds);
      last = endSeconds;
    }
  });
}

test('the spoken words of one written word have one time span', () => {
  assert.deepEqual(
    timed('It costs $5 now.').map(({ text, startSeconds, endSeconds }) => [text, startSeconds, endSeconds]),
    [
      ['It', 0, 1],
      ['costs', 1, 2],
      ['$5', 2, 4],
      ['now', 4, 5],
    ],
  );
});

test('a word without audio has zero duration', () => {
  assert.deepEqual(
    timed('One two three.', 'en-US', [1]).map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]),
    [
      [0, 1],
      [1, 1],
      [2, 3],
    ],
  );
});
