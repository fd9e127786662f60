import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AsrWord, TimeRange } from '../../engines/asr-engine.ts';
import { divideAtSpeakerChanges, type EmbedRanges } from './speaker-changes.ts';

/** Words of 0.4 s without gaps. */
function wordsOf(count: number): AsrWord[] {
  return Array.from({ length: count }, (_, index) => ({
    text: `w${index}`,
    startSeconds: 0.4 * index,
    endSeconds: 0.4 * (index + 1),
    confidence: 1,
  }));
}

/** Embeddings of two people who speak in turns, who change at these times: the share of each in the range. */
function embedderOf(changesSeconds: readonly number[]): EmbedRanges {
  const embed = ({ startSeconds, endSeconds }: TimeRange) => {
    const shares = [0, 0];
    for (let at = startSeconds; at < endSeconds; at += 0.05) {
      const turn = changesSeconds.filter((change) => change <= at + 0.025).length;
      shares[turn % 2]! += 1;
    }
    const length = Math.hypot(...shares);
    return shares.map((share) => share / length);
  };
  return async (ranges) => ranges.map(embed);
}

const lengths = (parts: readonly (readonly AsrWord[])[]) => parts.map((words) => words.length);

test('words are divided where the speaker changes', async () => {
  const words = wordsOf(20);
  assert.deepEqual(lengths(await divideAtSpeakerChanges(words, embedderOf([4]))), [10, 10]);
  assert.deepEqual(lengths(await divideAtSpeakerChanges(words, embedderOf([2.4, 5.2]))), [6, 7, 7]);
});

test('words of one speaker stay together', async () => {
  assert.deepEqual(lengths(await divideAtSpeakerChanges(wordsOf(40), embedderOf([]))), [40]);
});

test('short speech and speech without embeddings are not divided', async () => {
  assert.deepEqual(lengths(await divideAtSpeakerChanges(wordsOf(5), embedderOf([1]))), [5]);
  assert.deepEqual(
    lengths(await divideAtSpeakerChanges(wordsOf(20), async (ranges) => ranges.map(() => undefined))),
    [20],
  );
  assert.deepEqual(await divideAtSpeakerChanges([], embedderOf([])), [[]]);
});
