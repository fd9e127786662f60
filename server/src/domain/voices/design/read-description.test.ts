import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readDescription } from './read-description.ts';

const CASES: readonly {
  readonly text: string;
  readonly gender?: 'female' | 'male';
  readonly pitch?: 'low' | 'high';
  readonly pace?: 'slow' | 'fast';
  readonly melody?: 'even' | 'lively';
  readonly brightness?: 'dark' | 'bright';
  readonly ignored?: readonly string[];
}[] = [
  { text: 'deep old man', gender: 'male', pitch: 'low', pace: 'slow', brightness: 'dark' },
  { text: 'A young woman, high', gender: 'female', pitch: 'high', pace: 'fast', brightness: 'bright' },
  { text: 'A very calm, warm narrator', melody: 'even', pace: 'slow', brightness: 'dark' },
  {
    text: 'energetic 25-year-old guy',
    gender: 'male',
    pitch: 'high',
    pace: 'fast',
    melody: 'lively',
    brightness: 'bright',
  },
  { text: 'a lady in her 70s', gender: 'female', pitch: 'low', pace: 'slow', brightness: 'dark' },
  { text: 'a man, not too deep', gender: 'male', ignored: ['not deep'] },
  { text: 'British woman with a raspy voice', gender: 'female', ignored: ['british', 'raspy'] },
  { text: 'un homme très grave', ignored: ['un', 'homme', 'très', 'grave'] },
  { text: 'a purple voice', ignored: ['purple'] },
  { text: '' },
];

for (const { text, ...wanted } of CASES) {
  test(`“${text}” is read as it is meant`, () => {
    const { wish, pace, ignored } = readDescription(text);
    const word = (value: number | undefined, low: string, high: string) =>
      value === undefined || value === 0 ? undefined : value < 0 ? low : high;
    assert.deepEqual(
      {
        gender: wish.gender,
        pitch: word(wish.pitch, 'low', 'high'),
        pace: word(Math.log(pace), 'slow', 'fast'),
        melody: word(wish.melody, 'even', 'lively'),
        brightness: word(wish.brightness, 'dark', 'bright'),
        ignored,
      },
      {
        gender: wanted.gender,
        pitch: wanted.pitch,
        pace: wanted.pace,
        melody: wanted.melody,
        brightness: wanted.brightness,
        ignored: wanted.ignored ?? [],
      },
    );
  });
}

test('a degree makes a word stronger or weaker', () => {
  const pitch = (text: string) => readDescription(text).wish.pitch ?? 0;
  assert.ok(pitch('a very deep voice') < pitch('a deep voice'));
  assert.ok(pitch('a slightly deep voice') > pitch('a deep voice'));
});

test('every word is followed, ignored, or says nothing about a voice', () => {
  const { understood, ignored } = readDescription('A deep, raspy, zigzag voice of an old man');
  assert.deepEqual(understood, ['deep', 'old', 'man']);
  assert.deepEqual(ignored, ['raspy', 'zigzag']);
});

test('any text can be read, and asks for nothing out of reach', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      const { wish, pace } = readDescription(`very deep ${text} fast tiny boy`);
      for (const value of [wish.pitch ?? 0, wish.melody ?? 0, wish.brightness ?? 0]) {
        assert.ok(Math.abs(value) <= 2.5);
      }
      assert.ok(pace >= 0.7 && pace <= 1.4);
    }),
  );
});
