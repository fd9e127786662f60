import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInvented, withoutLoop } from './text-guards.ts';

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
for (const [heard, kept] of LOOPS) {
  test(`of "${heard.slice(0, 40)}" is kept "${kept}"`, () => {
    const words = heard.split(' ').map((text) => ({ text }));
    assert.equal(
      withoutLoop(words)
        .map(({ text }) => text)
        .join(' '),
      kept,
    );
  });
}

const CASES = [
  [
    'a clear sentence',
    { speechSeconds: 3, confidence: 0.8, noSpeech: 0.1, text: 'How are you today?' },
    false,
  ],
  ['a short clear word', { speechSeconds: 0.25, confidence: 0.9, noSpeech: undefined, text: 'Yes.' }, false],
  [
    'a mumbled sentence',
    { speechSeconds: 3, confidence: 0.3, noSpeech: undefined, text: 'We of it.' },
    false,
  ],
  ['a word on a click', { speechSeconds: 0.13, confidence: 0.5, noSpeech: undefined, text: 'You' }, true],
  [
    'words where the model hears nobody',
    { speechSeconds: 2, confidence: 0.4, noSpeech: 0.9, text: 'Thanks.' },
    true,
  ],
  [
    'more letters than anybody speaks',
    { speechSeconds: 0.5, confidence: 0.9, noSpeech: 0, text: 'word '.repeat(20) },
    true,
  ],
  ['only punctuation', { speechSeconds: 2, confidence: 0.9, noSpeech: 0, text: '…' }, true],
  ['a guess', { speechSeconds: 4, confidence: 0.1, noSpeech: undefined, text: 'Something' }, true],
] as const;
for (const [name, evidence, expected] of CASES) {
  test(`${name} is ${expected ? 'invented' : 'heard'}`, () => assert.equal(isInvented(evidence), expected));
}
