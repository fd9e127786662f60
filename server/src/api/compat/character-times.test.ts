import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { WireTiming } from '../responses/timed-events.ts';
import { CharacterTimeline, type CharacterTimes } from './character-times.ts';

/** Concatenates consecutive spans. */
function joinTimes(spans: Iterable<CharacterTimes>): CharacterTimes {
  const known = [...spans];
  return {
    characters: known.flatMap(({ characters }) => characters),
    startSeconds: known.flatMap(({ startSeconds }) => startSeconds),
    endSeconds: known.flatMap(({ endSeconds }) => endSeconds),
  };
}

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

test('the time of a word is divided among its characters, and the time between words among those between', () => {
  const timeline = new CharacterTimeline('Hi 😀you!');
  assert.deepEqual([...timeline.add(timing(0, [['Hi', 0, 0.1, 0.9]]))], []);
  // The end of the last word is returned only when it can no longer change.
  assert.deepEqual([...timeline.add(timing(0, [['Hi', 0, 0.1, 0.3]]))], []);
  assert.deepEqual(
    [...timeline.add(timing(1, [['you', 5, 0.5, 0.8]]))],
    [{ characters: ['H', 'i'], startSeconds: [0.1, 0.2], endSeconds: [0.2, 0.3] }],
  );
  const rest = joinTimes(timeline.finish());
  assert.deepEqual(rest.characters, [' ', '😀', 'y', 'o', 'u', '!']);
  assert.deepEqual(rest.startSeconds, [0.3, 0.9, 1.5, 1.6, 1.7, 1.8]);
  assert.deepEqual([...timeline.finish()], []);
});

test('the concatenated character times are the text in time order, however the words are reported', () => {
  const word = fc.record({
    text: fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' }).filter((text) => !text.includes(' ')),
    gap: fc.constantFrom(' ', '', ', ', ' [laugh] '),
    seconds: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(word), fc.boolean(), (words, isRepeated) => {
      const text = words.map(({ gap, text: spoken }) => gap + spoken).join('');
      const timeline = new CharacterTimeline(text);
      let chars = 0;
      let seconds = 0;
      const reports = words.map((each) => {
        const start = chars + each.gap.length;
        chars = start + each.text.length;
        seconds += each.seconds;
        return timing(seconds, [[each.text, start, 0, 0]]);
      });
      const times = joinTimes([
        ...reports.flatMap((report) =>
          isRepeated ? [...timeline.add(report), ...timeline.add(report)] : [...timeline.add(report)],
        ),
        ...timeline.finish(),
      ]);
      assert.equal(times.characters.join(''), text);
      const bounds = times.startSeconds.flatMap((start, index) => [start, times.endSeconds[index] ?? 0]);
      assert.deepEqual(
        bounds,
        bounds.toSorted((a, b) => a - b),
      );
    }),
  );
});

test('a long word is returned in spans of a limited length', () => {
  const timeline = new CharacterTimeline('😀'.repeat(5000));
  const spans = [...timeline.add(timing(0, [['😀'.repeat(5000), 0, 0, 5]])), ...timeline.finish()];
  assert.ok(spans.every(({ characters }) => characters.length <= 1000));
  const times = joinTimes(spans);
  assert.equal(times.characters.length, 5000);
  assert.deepEqual([times.startSeconds[2500], times.endSeconds.at(-1)], [2.5, 5]);
});
