import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { WireTiming } from '../responses/timed-events.ts';
import { CharacterClock, joinTimes } from './character-times.ts';

function timing(
  offsetSeconds: number,
  segments: readonly (readonly [string, number, number, number])[],
): WireTiming {
  return {
    content: '',
    chunk_seq: 0,
    chunk_audio_offset_sec: offsetSeconds,
    alignment: {
      audio_duration: 0,
      segments: segments.map(([text, charStart, start, end]) => ({
        text,
        start,
        end,
        char_start: charStart,
        char_end: charStart + text.length,
      })),
    },
  };
}

test('characters share the time of their word, and those between words the time between', () => {
  const clock = new CharacterClock(() => 'Hi 😀you!');
  assert.equal(clock.add(timing(0, [['Hi', 0, 0.1, 0.9]])), undefined);
  // The end of the last word is told only when it is certain.
  assert.equal(clock.add(timing(0, [['Hi', 0, 0.1, 0.3]])), undefined);
  assert.deepEqual(clock.add(timing(1, [['you', 5, 0.5, 0.8]])), {
    characters: ['H', 'i'],
    startSeconds: [0.1, 0.2],
    endSeconds: [0.2, 0.3],
  });
  const rest = clock.finish();
  assert.deepEqual(rest?.characters, [' ', '😀', 'y', 'o', 'u', '!']);
  assert.deepEqual(rest?.startSeconds, [0.3, 0.9, 1.5, 1.6, 1.7, 1.8]);
  assert.equal(clock.finish(), undefined);
});

test('what is told, joined, is the text, in time order, however the words are reported', () => {
  const word = fc.record({
    text: fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' }).filter((text) => !text.includes(' ')),
    gap: fc.constantFrom(' ', '', ', ', ' [laugh] '),
    seconds: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(word), fc.boolean(), (words, isRepeated) => {
      const text = words.map(({ gap, text: spoken }) => gap + spoken).join('');
      const clock = new CharacterClock(() => text);
      let chars = 0;
      let seconds = 0;
      const reports = words.map((each) => {
        const start = chars + each.gap.length;
        chars = start + each.text.length;
        seconds += each.seconds;
        return timing(seconds, [[each.text, start, 0, 0]]);
      });
      const told = joinTimes([
        ...reports.flatMap((report) =>
          isRepeated ? [clock.add(report), clock.add(report)] : [clock.add(report)],
        ),
        clock.finish(),
      ]);
      assert.equal(told.characters.join(''), text);
      const times = told.startSeconds.flatMap((start, index) => [start, told.endSeconds[index] ?? 0]);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    }),
  );
});
