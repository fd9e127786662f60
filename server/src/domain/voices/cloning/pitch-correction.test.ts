import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computePitchCorrection } from './pitch-correction.ts';

for (const { name, own, targetHz, expected } of [
  {
    name: 'near the target pitch with a typical range',
    own: [100, 0.2],
    targetHz: 101.5,
    expected: undefined,
  },
  { name: 'too high', own: [84, 0.1], targetHz: 77.28, expected: { pitchFactor: 0.92, range: 1 } },
  { name: 'far too low', own: [100, 0.2], targetHz: 180, expected: { pitchFactor: 1.25, range: 1 } },
  { name: 'far too high', own: [200, 0.2], targetHz: 100, expected: { pitchFactor: 0.8, range: 1 } },
  { name: 'with a wide range', own: [150, 0.32], targetHz: 150, expected: { pitchFactor: 1, range: 0.625 } },
  {
    name: 'with a range of an octave',
    own: [150, 1],
    targetHz: 150,
    expected: { pitchFactor: 1, range: 0.5 },
  },
] as const) {
  test(`a voice ${name} gets the correction ${JSON.stringify(expected)}`, () => {
    const [pitchHz, pitchRangeOctaves] = own;
    const change = computePitchCorrection({ pitchHz, pitchRangeOctaves }, targetHz);
    assert.deepEqual(change, expected && { middleHz: pitchHz, ...expected });
  });
}
