import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CaptionError, parseCaptionsInSteps } from './parse-captions.ts';

const LIMITS = { captionsMax: 10, captionMaxChars: 50, maxSeconds: 36_000 };

function parse(file: string) {
  const steps = parseCaptionsInSteps(file, LIMITS);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

test('SubRip: numbers, comma times, markup and speakers at the start of a line', () => {
  const file =
    '\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Who is</i>\r\nthere?\r\n\r\n2\r\n01:01:01,5 --> 01:01:02,000\r\nANN: {\\an8}It is me.\r\n\r\n3\r\n00:00:09,000 --> 00:00:10,000\r\n \r\n';
  assert.deepEqual(parse(file), [
    { startSeconds: 1, endSeconds: 2.5, text: 'Who is there?', speaker: undefined },
    { startSeconds: 3661.5, endSeconds: 3662, text: 'It is me.', speaker: 'ANN' },
  ]);
});

test('WebVTT: header, notes, identifiers, settings, voices and entities; captions are sorted', () => {
  const file =
    'WEBVTT - title\n\nNOTE a\nb\n\nSTYLE\n::cue {}\n\nid\n00:05.000 --> 00:06.000 line:0\n<v.loud Bob Lee>A &lt; B &amp; C</v>\n\n00:01.000 --> 00:02.000\nFirst.\n';
  assert.deepEqual(parse(file), [
    { startSeconds: 1, endSeconds: 2, text: 'First.', speaker: undefined },
    { startSeconds: 5, endSeconds: 6, text: 'A < B & C', speaker: 'Bob Lee' },
  ]);
});

const INVALID = [
  '',
  'WEBVTT\n\n',
  'no captions here',
  '00:02.000 --> 00:01.000\nx',
  '1\n99:00:00,000 --> 99:00:01,000\nx',
  `00:01.000 --> 00:02.000\n${'x'.repeat(51)}`,
  Array.from({ length: 11 }, (_, index) => `00:${10 + index}.000 --> 00:${11 + index}.000\nx`).join('\n\n'),
];
for (const [index, file] of INVALID.entries()) {
  test(`an invalid caption file is refused (${index + 1})`, () =>
    assert.throws(() => parse(file), CaptionError));
}

test('a file is read in steps of one bounded caption, so that other requests run in between', () => {
  const caption = (text: string) => `00:01.000 --> 00:02.000\n${text}`;
  const steps = parseCaptionsInSteps([caption('x'), caption('y'), caption('z')].join('\n\n'), LIMITS);
  assert.equal([...steps].length, 3);
  for (const part of ['<', '<v.', '<v a', '{\\', '<i></i>', '\n']) {
    assert.throws(() => parse(caption(part.repeat(20_000))), CaptionError);
  }
  assert.equal(parse(`STYLE\n${'a {}'.repeat(10_000)}\n\n${caption('x')}`).length, 1);
});
