import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { predictLevels, predictLoudnessDeviation } from './text-loudness.ts';

const MODEL = { weights: [2, -1], offset: 0.5 };
/** Two channels of three tokens. */
const mean = { channels: 2, length: 3, values: Float32Array.of(1, 0, 0.5, 0, 1, 0.5) };

describe('predictLoudnessDeviation', () => {
  test('is linear in the mean of the frames', () => {
    const front = { mean, tokenFrames: Int32Array.of(1, 1, 2) };
    // Means over four frames: 0.5 and 0.5.
    assert.equal(predictLoudnessDeviation(front, MODEL), 0.5 + 2 * 0.5 - 0.5);
  });

  test('weights tokens by their duration', () => {
    const front = { mean, tokenFrames: Int32Array.of(3, 0, 0) };
    assert.equal(predictLoudnessDeviation(front, MODEL), 0.5 + 2);
  });

  test('is bounded', () => {
    const front = { mean, tokenFrames: Int32Array.of(1, 0, 0) };
    assert.equal(predictLoudnessDeviation(front, { weights: [100, 0], offset: 0 }), 4);
    assert.equal(predictLoudnessDeviation(front, { weights: [-100, 0], offset: 0 }), -4);
  });

  test('is zero without frames', () => {
    assert.equal(predictLoudnessDeviation({ mean, tokenFrames: new Int32Array(3) }, MODEL), 0);
  });
});

describe('predictLevels', () => {
  const front = { mean, tokenFrames: Int32Array.of(1, 0, 2) };

  test('each frame has the level of its token', () => {
    assert.deepEqual([...predictLevels(front, MODEL)], [2, 0.5, 0.5]);
  });

  test('without a model all frames are equal', () => {
    assert.deepEqual([...predictLevels(front, undefined)], [0, 0, 0]);
  });
});
