import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isInTune, measuredDistance } from './judgement.ts';
import { MEASURES } from './measures.ts';
import { withSteadyPitch } from './voice-traits.ts';

function voiceOf(pitchHz: number): Float32Array {
  const measures = new Float32Array(MEASURES.count);
  measures[MEASURES.xVector.from] = 1;
  measures[MEASURES.ear.from] = 1;
  measures[MEASURES.pitch.from] = Math.log2(pitchHz);
  return measures;
}

describe('judging voices', () => {
  for (const [pitchHz, inTune] of [
    [200, true],
    [204, true],
    [196, true],
    [212, false],
    [188, false],
    [100, false],
    [400, false],
  ] as const) {
    test(`a voice of ${pitchHz} Hz is ${inTune ? 'in' : 'out of'} tune with one of 200 Hz`, () => {
      assert.equal(isInTune(voiceOf(pitchHz), voiceOf(200)), inTune);
    });
  }

  test('a leaping pitch is aimed for as a steady one, and all else as it is', () => {
    for (const [range, aimed] of [
      [0.6, 0.2],
      [0.15, 0.15],
    ] as const) {
      const leaping = voiceOf(120);
      leaping[MEASURES.pitchRange.from] = range;
      const expected = Float32Array.from(leaping);
      expected[MEASURES.pitchRange.from] = aimed;
      assert.deepEqual(withSteadyPitch(leaping), expected);
    }
  });

  test('equal voices are not apart, and a wrong pitch sets them apart by more the further off it is', () => {
    const apart = [200, 210, 240, 300].map((pitchHz) => measuredDistance(voiceOf(pitchHz), voiceOf(200)));
    assert.equal(apart[0], 0);
    assert.deepEqual(
      apart,
      [...apart].sort((a, b) => a - b),
    );
  });
});
