import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isInTune, measuredDistance } from './compare-measures.ts';
import { MEASURES } from './measures.ts';
import { limitPitchRange } from './voice-traits.ts';

function voiceOf(pitchHz: number): Float32Array {
  const measures = new Float32Array(MEASURES.count);
  measures[MEASURES.xVector.from] = 1;
  measures[MEASURES.dVector.from] = 1;
  measures[MEASURES.pitch.from] = Math.log2(pitchHz);
  return measures;
}

describe('comparing voices', () => {
  for (const [pitchHz, isEqual] of [
    [200, true],
    [204, true],
    [196, true],
    [212, false],
    [188, false],
    [100, false],
    [400, false],
  ] as const) {
    test(`the pitch of ${pitchHz} Hz is ${isEqual ? 'equal to' : 'different from'} 200 Hz`, () => {
      assert.equal(isInTune(voiceOf(pitchHz), voiceOf(200)), isEqual);
    });
  }

  test('a wide pitch range is limited, and other measures are unchanged', () => {
    for (const [range, limited] of [
      [0.6, 0.2],
      [0.15, 0.15],
    ] as const) {
      const measures = voiceOf(120);
      measures[MEASURES.pitchRange.from] = range;
      const expected = Float32Array.from(measures);
      expected[MEASURES.pitchRange.from] = limited;
      assert.deepEqual(limitPitchRange(measures, 0.2), expected);
    }
  });

  test('equal voices have distance 0, and the distance grows with the pitch deviation', () => {
    const distances = [200, 210, 240, 300].map((pitchHz) => measuredDistance(voiceOf(pitchHz), voiceOf(200)));
    assert.equal(distances[0], 0);
    assert.deepEqual(
      distances,
      [...distances].sort((a, b) => a - b),
    );
  });
});
