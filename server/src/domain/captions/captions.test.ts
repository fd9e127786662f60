import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CaptionWord } from './caption.ts';
import { buildCaptions, CaptionBuilder } from './caption-builder.ts';
import { writeCaptionFile } from './caption-file.ts';
import { LINE_COLUMNS_MAX } from './caption-lines.ts';
import { displayWidth } from './display-width.ts';

/** The words of a text, a third of a second each. */
function words(text: string, changes: Partial<CaptionWord> = {}, fromSeconds = 0): CaptionWord[] {
  return text.split(' ').map((word, index) => ({
    text: word,
    startSeconds: fromSeconds + index / 3,
    endSeconds: fromSeconds + (index + 1) / 3,
    ...changes,
  }));
}

const linesOf = (list: readonly CaptionWord[]) => buildCaptions(list).map(({ lines }) => lines);

test('a short sentence is one line', () => {
  assert.deepEqual(linesOf(words('The boat came home.')), [['The boat came home.']]);
});

test('a long sentence is broken after its clauses, in lines that fit', () => {
  const text =
    'When the little boat came home at last, nobody on the shore had seen it leave, and nobody asked where it had been.';
  assert.deepEqual(linesOf(words(text)), [
    ['When the little boat came home at last,', 'nobody on the shore had seen it leave,'],
    ['and nobody asked where it had been.'],
  ]);
});

test('short sentences share a caption, but not across speakers or gaps', () => {
  assert.deepEqual(linesOf(words('Yes. No. Maybe.')), [['Yes. No. Maybe.']]);
  const turns = [...words('Who is there?', { speaker: 'A' }), ...words('Me.', { speaker: 'B' }, 1)];
  assert.deepEqual(linesOf(turns), [['Who is there?'], ['Me.']]);
  assert.deepEqual(linesOf([...words('Wait for it.'), ...words('Now.', {}, 9)]), [
    ['Wait for it.'],
    ['Now.'],
  ]);
});

test('words that join the previous word have no space before them', () => {
  const joined = [...'你好世界。'].map((text, index) => ({
    text,
    startSeconds: index,
    endSeconds: index + 1,
    joinsPrevious: true,
  }));
  assert.deepEqual(linesOf(joined), [['你好世界。']]);
});

test('a caption has a minimum display time, but ends before the next', () => {
  const [first, second] = buildCaptions([
    ...words('Wait.', { speaker: 'A' }),
    ...words('No.', { speaker: 'B' }, 0.5),
  ]);
  assert.equal(first!.endSeconds, 0.5);
  assert.equal(second!.endSeconds, 1.7);
});

test('no caption ends after the audio', () => {
  const [caption] = buildCaptions(words('Wait.', {}, 2), 2.6);
  assert.deepEqual([caption!.startSeconds, caption!.endSeconds], [2, 2.6]);
});

test('WebVTT and SubRip files follow their formats', () => {
  const captions = buildCaptions([
    ...words('Is 1 < 2 & 3?', { speaker: 'Ann' }),
    ...words('a --> b', { speaker: 'Bob' }, 3661.5),
  ]);
  assert.equal(
    writeCaptionFile('text/vtt', captions),
    'WEBVTT\n\n00:00:00.000 --> 00:00:02.300\n<v Ann>Is 1 &lt; 2 &amp; 3?\n\n' +
      '01:01:01.500 --> 01:01:02.800\n<v Bob>a --&gt; b\n\n',
  );
  assert.equal(
    writeCaptionFile('application/x-subrip', captions),
    '1\n00:00:00,000 --> 00:00:02,300\nAnn: Is 1 < 2 & 3?\n\n2\n01:01:01,500 --> 01:01:02,800\nBob: a → b\n\n',
  );
});

test('for any words, none is lost, lines fit, and captions are in order without overlap', () => {
  const word = fc.record({
    text: fc.oneof(
      fc.constantFrom(
        'a',
        'boat',
        'home,',
        'last.',
        'why?',
        '你好',
        'Donaudampfschifffahrtsgesellschaftskapitänsmütze',
      ),
      fc.string({ minLength: 1, maxLength: 12 }).filter((text) => /^\S+$/.test(text)),
    ),
    pause: fc.double({ min: 0, max: 2, noNaN: true }),
    length: fc.double({ min: 0, max: 1, noNaN: true }),
    speaker: fc.constantFrom('A', 'A', 'A', 'B'),
  });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 80 }), (drafts) => {
      let at = 0;
      const list = drafts.map(({ text, pause, length, speaker }): CaptionWord => {
        const startSeconds = at + pause;
        at = startSeconds + length;
        return { text, startSeconds, endSeconds: at, speaker };
      });
      const captions = buildCaptions(list);
      assert.deepEqual(
        captions.flatMap(({ lines }) => lines.join(' ').split(' ')),
        list.map(({ text }) => text),
      );
      let last = 0;
      for (const { lines, startSeconds, endSeconds } of captions) {
        assert.ok(lines.length <= 2);
        for (const line of lines) assert.ok(displayWidth(line) <= LINE_COLUMNS_MAX || !line.includes(' '));
        assert.ok(startSeconds >= last && endSeconds >= startSeconds);
        last = endSeconds;
      }
      const builder = new CaptionBuilder();
      assert.deepEqual([...list.flatMap((next) => builder.add(next)), ...builder.finish()], captions);
    }),
  );
});
