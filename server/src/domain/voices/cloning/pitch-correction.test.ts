import assert from 'node:assert/strict';
import { test } from 'node:test';
import { melodyCorrection } from './pitch-correction.ts';

for (const { name, own, wantedHz, expected } of [
  { name: 'as high as wanted, of usual melody', own: [100, 0.2], wantedHz: 101.5, expected: undefined },
  { name: 'too high', own: [84, 0.1], wantedHz: 77.28, expected: { pitchFactor: 0.92, range: 1 } },
  { name: 'far too low', own: [100, 0.2], wantedHz: 180, expected: { pitchFactor: 1.25, range: 1 } },
  { name: 'far too high', own: [200, 0.2], wantedHz: 100, expected: { pitchFactor: 0.8, range: 1 } },
  { name: 'that leaps', own: [150, 0.32], wantedHz: 150, expected: { pitchFactor: 1, range: 0.625 } },
  { name: 'that leaps by octaves', own: [150, 1], wantedHz: 150, expected: { pitchFactor: 1, range: 0.5 } },
] as const) {
  test(`a voice ${name} is changed by ${JSON.stringify(expected)}`, () => {
    const [pitchHz, melodyOctaves] = own;
    const change = melodyCorrection({ pitchHz, melodyOctaves }, wantedHz);
    assert.deepEqual(change, expected && { middleHz: pitchHz, ...expected });
  });
}
