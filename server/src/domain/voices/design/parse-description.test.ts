import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDescription } from './parse-description.ts';

const CASES: readonly {
  readonly text: string;
  readonly gender?: 'female' | 'male';
  readonly pitch?: 'low' | 'high';
  readonly speakingRate?: 'slow' | 'fast';
  readonly pitchRange?: 'even' | 'lively';
  readonly brightness?: 'dark' | 'bright';
  readonly ignored?: readonly string[];
}[] = [
  { text: 'deep old man', gender: 'male', pitch: 'low', speakingRate: 'slow', brightness: 'dark' },
  {
    text: 'A young woman, high',
    gender: 'female',
    pitch: 'high',
    speakingRate: 'fast',
    brightness: 'bright',
  },
  { text: 'A very calm, warm narrator', pitchRange: 'even', speakingRate: 'slow', brightness: 'dark' },
  {
    text: 'energetic 25-year-old guy',
    gender: 'male',
    pitch: 'high',
    speakingRate: 'fast',
    pitchRange: 'lively',
    brightness: 'bright',
  },
  { text: 'a lady in her 70s', gender: 'female', pitch: 'low', speakingRate: 'slow', brightness: 'dark' },
  { text: 'a man, not too deep', gender: 'male', ignored: ['not deep'] },
  { text: 'British woman with a raspy voice', gender: 'female', ignored: ['british', 'raspy'] },
  { text: 'un homme très grave', ignored: ['un', 'homme', 'très', 'grave'] },
  { text: 'a purple voice', ignored: ['purple'] },
  { text: '' },
];

for (const { text, ...expected } of CASES) {
  test(`“${text}” is parsed as expected`, () => {
    const { targets, speakingRate, ignored } = parseDescription(text);
    const word = (value: number | undefined, low: string, high: string) =>
      value === undefined || value === 0 ? undefined : value < 0 ? low : high;
    assert.deepEqual(
      {
        gender: targets.gender,
        pitch: word(targets.pitch, 'low', 'high'),
        speakingRate: word(Math.log(speakingRate), 'slow', 'fast'),
        pitchRange: word(targets.pitchRange, 'even', 'lively'),
        brightness: word(targets.brightness, 'dark', 'bright'),
        ignored,
      },
      {
        gender: expected.gender,
        pitch: expected.pitch,
        speakingRate: expected.speakingRate,
        pitchRange: expected.pitchRange,
        brightness: expected.brightness,
        ignored: expected.ignored ?? [],
      },
    );
  });
}

test('an intensifier strengthens or weakens a word', () => {
  const pitch = (text: string) => parseDescription(text).targets.pitch ?? 0;
  assert.ok(pitch('a very deep voice') < pitch('a deep voice'));
  assert.ok(pitch('a slightly deep voice') > pitch('a deep voice'));
});

test('names that every object inherits are ordinary words', () => {
  const { targets, ignored } = parseDescription('a constructor deep voice');
  assert.deepEqual([targets, ignored], [parseDescription('a deep voice').targets, ['constructor']]);
});

test('every word is understood, ignored or a filler', () => {
  const { understood, ignored } = parseDescription('A deep, raspy, zigzag voice of an old man');
  assert.deepEqual(understood, ['deep', 'old', 'man']);
  assert.deepEqual(ignored, ['raspy', 'zigzag']);
});

test('any text can be parsed, and the targets stay within their limits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      const { targets, speakingRate } = parseDescription(`very deep ${text} fast tiny boy`);
      for (const value of [targets.pitch ?? 0, targets.pitchRange ?? 0, targets.brightness ?? 0]) {
        assert.ok(Math.abs(value) <= 2.5);
      }
      assert.ok(speakingRate >= 0.7 && speakingRate <= 1.4);
    }),
  );
});
