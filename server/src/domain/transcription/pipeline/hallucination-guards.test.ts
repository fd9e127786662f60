import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHallucination, removeRepetitions } from './hallucination-guards.ts';

const LOOPS = [
  ['the end', 'the end'],
  ['thou also thou also', 'thou also thou also'],
  ['no, no, no, no, no', 'no, no, no, no, no'],
  ['I went. And so on, and so on, and so on, and so on, and so on', 'I went. And so on, and so on,'],
  ['la la la la la la la la la home', 'la la home'],
  ['We all went home by the river. We all went home by the river.', 'We all went home by the river.'],
  [
    'They went back to the museum last year again. They went back to the museum la',
    'They went back to the museum last year again.',
  ],
  [
    'The children ran to the beach and into the sea. The children ran',
    'The children ran to the beach and into the sea.',
  ],
  [
    'We sailed all night. We sailed all day. We sailed all week.',
    'We sailed all night. We sailed all day. We sailed all week.',
  ],
  ['one two three '.repeat(9).trim(), 'one two three one two three'],
] as const;
for (const [transcribed, expected] of LOOPS) {
  test(`"${transcribed.slice(0, 40)}" becomes "${expected}"`, () => {
    const words = transcribed.split(' ').map((text) => ({ text }));
    assert.equal(
      removeRepetitions(words)
        .map(({ text }) => text)
        .join(' '),
      expected,
    );
  });
}

/** Words that follow each other, each as long as its text at a normal speaking rate. */
function timed(phrase: string, times: number, secondsOf: (occurrence: number) => number = () => 3) {
  const texts = phrase.split(' ');
  let at = 0;
  return Array.from({ length: times }, (_, occurrence) =>
    texts.map((text) => {
      const startSeconds = at;
      at += secondsOf(occurrence) / texts.length;
      return { text, startSeconds, endSeconds: at };
    }),
  ).flat();
}

test('a sentence that is spoken six times remains', () => {
  const words = timed('The little boat came home at last and nobody saw it.', 6);
  assert.equal(removeRepetitions(words), words);
});

test('a short phrase that is spoken ten times remains', () => {
  const words = timed('and so on', 10, () => 1);
  assert.equal(removeRepetitions(words), words);
});

test('a repetition without audio of its own is removed', () => {
  const phrase = 'The little boat came home at last.';
  const words = timed(phrase, 2, (occurrence) => (occurrence === 0 ? 3 : 0.2));
  assert.equal(removeRepetitions(words).length, phrase.split(' ').length);
  const loop = timed('and so on', 10, (occurrence) => (occurrence < 2 ? 1 : 0.1));
  assert.equal(removeRepetitions(loop).length, 6);
});

test('a spoken restart remains', () => {
  const sentence = 'The children ran to the beach and into the sea.';
  const words = timed(`${sentence} The children ran`, 1, () => 5);
  assert.equal(removeRepetitions(words), words);
});

const CASES = [
  [
    'a clear sentence',
    { speechSeconds: 3, confidence: 0.8, noSpeech: 0.1, text: 'How are you today?' },
    false,
  ],
  ['a short clear word', { speechSeconds: 0.25, confidence: 0.9, noSpeech: undefined, text: 'Yes.' }, false],
  [
    'an unclear sentence',
    { speechSeconds: 3, confidence: 0.3, noSpeech: undefined, text: 'We of it.' },
    false,
  ],
  ['a word on a click', { speechSeconds: 0.13, confidence: 0.5, noSpeech: undefined, text: 'You' }, true],
  [
    'text with a high no-speech probability',
    { speechSeconds: 2, confidence: 0.4, noSpeech: 0.9, text: 'Thanks.' },
    true,
  ],
  [
    'text above the maximum speaking rate',
    { speechSeconds: 0.5, confidence: 0.9, noSpeech: 0, text: 'word '.repeat(20) },
    true,
  ],
  ['only punctuation', { speechSeconds: 2, confidence: 0.9, noSpeech: 0, text: '…' }, true],
  [
    'text with low confidence',
    { speechSeconds: 4, confidence: 0.1, noSpeech: undefined, text: 'Something' },
    true,
  ],
] as const;
for (const [name, evidence, expected] of CASES) {
  test(`${name} is ${expected ? '' : 'not '}a hallucination`, () =>
    assert.equal(isHallucination(evidence), expected));
}
