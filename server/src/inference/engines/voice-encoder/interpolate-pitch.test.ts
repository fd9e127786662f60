import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { interpolatePitch } from './interpolate-pitch.ts';
import { MEASURES } from './measures.ts';

function measuresAt(pitchHz: number): Float32Array {
  const measures = new Float32Array(MEASURES.count);
  measures[MEASURES.pitch.from] = Math.log2(pitchHz);
  return measures;
}

function trialAt(pitchHz: number, ...vector: number[]) {
  return { vector: Float32Array.from(vector), measures: measuresAt(pitchHz) };
}

describe('pitch interpolation', () => {
  for (const { wantedHz, vector } of [
    { wantedHz: 200, vector: [0.5, 3] },
    { wantedHz: 100, vector: [0, 4] },
    { wantedHz: 400, vector: [1, 2] },
    { wantedHz: 565.685, vector: [1.25, 1.5] },
  ]) {
    test(`${wantedHz} Hz lies on the line through 100 and 400 Hz`, () => {
      const found = interpolatePitch(measuresAt(wantedHz), trialAt(100, 0, 4), trialAt(400, 1, 2));
      assert.ok(found !== undefined);
      found.forEach((value, index) => {
        assert.ok(Math.abs(value - vector[index]!) < 1e-4, `${found}`);
      });
    });
  }

  test('trials of equal pitch give no result', () => {
    assert.equal(interpolatePitch(measuresAt(200), trialAt(150, 0), trialAt(151, 1)), undefined);
  });

  test('a target far beyond both trials gives no result', () => {
    assert.equal(interpolatePitch(measuresAt(400), trialAt(100, 0), trialAt(110, 1)), undefined);
  });
});
