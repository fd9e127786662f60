import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AsrSegment } from './asr-task.ts';
import { SegmentMerge } from './segment-merge.ts';

function segment(startSeconds: number, endSeconds: number): AsrSegment {
  const text = `${startSeconds}-${endSeconds}`;
  return { type: 'segment', startSeconds, endSeconds, text, words: [], language: 'en', confidence: 1 };
}

test('one channel is emitted up to its processed position', () => {
  const merge = new SegmentMerge();
  merge.add(0, segment(1, 5));
  // A cut within speech: the next segment starts before the last word ends.
  const { segments, processedSeconds } = merge.settle([4.8]);
  assert.deepEqual([segments.length, processedSeconds], [1, 4.8]);
});

test('two channels are merged in order of time, and a segment is held until no earlier one can follow', () => {
  const merge = new SegmentMerge();
  merge.add(0, segment(6, 9));
  assert.deepEqual(merge.settle([10, 4]), { segments: [], processedSeconds: 4 });
  merge.add(1, segment(4, 5));
  const { segments, processedSeconds } = merge.settle([10, 8]);
  assert.deepEqual(
    segments.map(({ text }) => text),
    ['4-5'],
    'the other segment extends beyond the processed position of both channels',
  );
  assert.equal(processedSeconds, 6);
  assert.equal(merge.settle([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]).segments.length, 1);
});

test('a task that resumes at any reported position emits every segment exactly once', () => {
  const channel = fc.array(
    fc.record({ gap: fc.integer({ min: 1, max: 5 }), length: fc.integer({ min: 1, max: 9 }) }),
    {
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(channel, channel, fc.array(fc.boolean(), { maxLength: 40 }), (left, right, order) => {
      const channels = [left, right].map((steps) => {
        let at = 0;
        return steps.map(({ gap, length }) => {
          const start = at + gap;
          at = start + length;
          return segment(start, at);
        });
      });
      const merge = new SegmentMerge();
      const settled = [0, 0];
      const next = [0, 0];
      const emitted: AsrSegment[] = [];
      for (const isLeft of order) {
        const index = isLeft ? 0 : 1;
        const found = channels[index]![next[index]!];
        if (found === undefined) continue;
        next[index]! += 1;
        settled[index] = found.endSeconds;
        merge.add(index, found);
        const { segments, processedSeconds } = merge.settle(settled);
        emitted.push(...segments);
        for (const one of channels.flat()) {
          const isEmitted = emitted.includes(one);
          assert.equal(isEmitted, one.endSeconds <= processedSeconds, `${one.text} at ${processedSeconds}`);
          assert.ok(isEmitted || one.startSeconds >= processedSeconds);
        }
      }
    }),
  );
});
