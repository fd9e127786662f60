import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { textToPieces } from '../front-end/text-to-pieces.ts';
import type { Language, SpokenWord } from '../piece.ts';
import { type TextSegment, TextStreamSegmenter } from './text-stream-segmenter.ts';

function wordsOf(text: string, language: Language = 'en-US'): readonly SpokenWord[] {
  const lengths = { chunkLength: 300, minChunkLength: 50, firstPieceLength: Number.POSITIVE_INFINITY };
  return [...textToPieces(text, { language, normalize: true, cueStyle: 'both', ...lengths })].flatMap(
    (piece) => piece.words,
  );
}

function createSegmenter(language: Language = 'en-US'): TextStreamSegmenter {
  return new TextStreamSegmenter({ verbalize: (text) => wordsOf(text, language), clauseLength: 50 });
}

/** The segments of a text that arrives in the given chunks. */
function segmentsOf(chunks: readonly string[], language?: Language): TextSegment[] {
  const text = createSegmenter(language);
  const segments: TextSegment[] = [];
  const takeAll = () => {
    for (let segment = text.nextSegment(); segment; segment = text.nextSegment()) segments.push(segment);
  };
  for (const chunk of chunks) {
    text.append(chunk);
    takeAll();
  }
  text.end();
  takeAll();
  return segments;
}

function placed(words: readonly SpokenWord[], offset = 0): string[] {
  return words.map(({ text, start, end }) => `${text} ${start + offset} ${end + offset}`);
}

/** Splits a text into chunks of about the size of a language model's tokens. */
const tokens = (text: string) => text.match(/\s*\S{1,4}/g) ?? [];

test('a sentence is emitted when the next one begins, the first clause when it is complete', () => {
  const text = createSegmenter();
  text.append('When the little boat came home,');
  assert.equal(text.nextSegment(), undefined);
  text.append(' ');
  assert.deepEqual(text.nextSegment(), {
    text: 'When the little boat came home, ',
    start: 0,
    boundary: 'clause',
  });
  text.append('nobody saw it. ');
  assert.deepEqual(text.nextSegment(), { text: 'nobody saw it. ', start: 32, boundary: 'sentence' });
  text.append('And');
  assert.equal(text.nextSegment(), undefined);
  text.end();
  assert.deepEqual(text.nextSegment(), { text: 'And', start: 47, boundary: 'end' });
  assert.equal(text.nextSegment(), undefined);
});

const BUFFERED: readonly string[] = [
  'He lives with Dr. ',
  'It costs 1, ',
  'That was on May 4, ',
  'She whispered (whisp',
  'And then [very ',
  'Now <|speaker:',
  'Say <|phoneme_start|>HH AH0. ',
  'Pi is 3.',
  'We met at 5 p.m. ',
  '1. ',
];

for (const text of BUFFERED) {
  test(`${JSON.stringify(text)} needs lookahead`, () => {
    const segmenter = createSegmenter();
    segmenter.append(text);
    assert.equal(segmenter.nextSegment(), undefined);
    segmenter.flush();
    assert.equal(segmenter.nextSegment()?.text, text);
  });
}

test('sentences that arrive together are emitted together, a long text in segments', () => {
  assert.deepEqual(
    segmentsOf(['One is here. Two is here. Three is ', 'here.']).map(({ text }) => text),
    ['One is here. Two is here. ', 'Three is here.'],
  );
  const long = 'Nobody on the shore had seen the little boat leave. '.repeat(100);
  const segments = segmentsOf([long]);
  assert.ok(segments.length > 5 && segments.every(({ text }) => text.length <= 900));
  assert.equal(segments.map(({ text }) => text).join(''), long);
});

test('a text without punctuation is emitted', () => {
  const text = createSegmenter();
  text.append('word '.repeat(100));
  assert.equal(text.nextSegment()?.boundary, 'phrase');
  const garbage = createSegmenter();
  garbage.append('x'.repeat(5000));
  assert.ok(garbage.nextSegment());
});

test('a text without a stable ending is emitted completely at its end', () => {
  for (const text of ['No. '.repeat(300), 'Dr. '.repeat(230), 'x'.repeat(1000)]) {
    const segments = segmentsOf([text]);
    assert.equal(segments.map((segment) => segment.text).join(''), text);
    assert.ok(segments.every((segment) => segment.text.length <= 900));
  }
});

test('a limited number of positions is examined for a segment, in steps', () => {
  let verbalized = 0;
  let stepLength = 0;
  let stepLengthMax = 0;
  const segmenter = new TextStreamSegmenter({
    verbalize: (text) => {
      verbalized++;
      stepLength += text.length;
      stepLengthMax = Math.max(stepLengthMax, stepLength);
      return wordsOf(text);
    },
    clauseLength: 50,
  });
  segmenter.append('No. '.repeat(350));
  for (const _ of segmenter.nextSegmentInSteps()) stepLength = 0;
  assert.ok(verbalized > 0 && verbalized <= 16 * 13, `${verbalized} texts were verbalized`);
  assert.ok(stepLengthMax <= 200, `${stepLengthMax} characters in one step`);
});

test('text that arrives between two steps is not lost', () => {
  const segmenter = createSegmenter();
  segmenter.append('The little boat came home. ');
  const steps = segmenter.nextSegmentInSteps();
  assert.equal(steps.next().done, false);
  segmenter.append('Nobody saw it. ');
  let step = steps.next();
  while (!step.done) step = steps.next();
  segmenter.end();
  assert.equal(
    `${step.value?.text}${segmenter.nextSegment()?.text}`,
    'The little boat came home. Nobody saw it. ',
  );
});

test('SSML is emitted as one segment', () => {
  const segments = segmentsOf(tokens('<speak>One. Two. <break time="1s"/> Three.</speak> And more.'));
  assert.deepEqual(
    segments.map(({ text }) => text.trim()),
    ['<speak>One. Two. <break time="1s"/> Three.</speak>', 'And more.'],
  );
});

const PARTS = [
  ...['Hello there', 'the boat came home', 'nobody saw it', 'Dr. Smith', 'Mr. and Mrs. Jones', 'St. John'],
  ...['It costs $5', '$1,234.56', 'on May 4, 2024', 'at 3:15 p.m.', 'from 5 to 7 a.m.', '3.14', '1,000,000'],
  ...['e.g. apples', 'i.e. pears', 'the U.S. Army', 'No. 5', 'vol. 2', '50%', '20 km', '5 ft. 3 in.'],
  ...['(whispering) be quiet', '[very sad] oh no', '(in a hurry tone) quick', '(not a cue, really)'],
  ...[
    '<|speaker:1|>Yes',
    '<|phoneme_start|>HH AH0 L OW1<|phoneme_end|>',
    'call 555-123-4567',
    'J. R. R. Tolkien',
  ],
  ...[
    'https://example.com/a,b?c=1',
    'a@b.com',
    'version 1.2.3',
    '“Stop!” she said',
    "it's John's",
    'Henry VIII',
  ],
  ...['Jan. 5', 'Ph.D. students', '1/2 cup', '10-12 people', 'the 1990s', '5 million', 'World War II', 'x.y'],
];
const MARKS = ['. ', ', ', '! ', '? ', '; ', ': ', ' — ', '… ', ' ', '.\n\n', '.\n', '!\n', '." ', '.) '];

test('words and offsets do not depend on the division into chunks', () => {
  const sentence = fc
    .array(fc.tuple(fc.constantFrom(...PARTS), fc.constantFrom(...MARKS)), { minLength: 1, maxLength: 12 })
    .map((parts) => parts.flat().join(''));
  fc.assert(
    fc.property(sentence, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (text, sizes) => {
      const chunks: string[] = [];
      for (let at = 0, turn = 0; at < text.length; turn++) {
        const size = sizes[turn % sizes.length]!;
        chunks.push(text.slice(at, at + size));
        at += size;
      }
      const segments = segmentsOf(chunks);
      assert.equal(segments.map((segment) => segment.text).join(''), text);
      assert.deepEqual(
        segments.flatMap((segment) => placed(wordsOf(segment.text), segment.start)),
        placed(wordsOf(text)),
        JSON.stringify(segments.map((segment) => segment.text)),
      );
    }),
    { numRuns: 60 },
  );
});

test('Chinese and Japanese are segmented at their own punctuation', () => {
  const chinese = segmentsOf([...'你好，世界。今天天气很好！我们走吧。'], 'zh');
  assert.ok(chinese.length >= 2);
  const japanese = segmentsOf([...'東京に行きます。天気は「いい」です。'], 'ja');
  assert.deepEqual(
    japanese.map(({ text }) => text),
    ['東京に行きます。', '天気は「いい」です。'],
  );
});
