import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEATURE_ROWS, tokensOfFrames } from './networks/features.ts';
import { retime } from './retime.ts';

function front(...counts: readonly number[]) {
  const tokenFrames = Int32Array.from(counts);
  const frameTokens = tokensOfFrames(tokenFrames);
  const frames = frameTokens.length;
  const text = new Float32Array(FEATURE_ROWS * counts.length);
  const ramp = Float32Array.from({ length: 2 * frames }, (_, half) => half);
  return { frames, text, frameTokens, f0: ramp, energy: ramp.slice(), tokenFrames };
}

test('equal durations give equal features', () => {
  const same = front(2, 1, 3);
  assert.deepEqual(retime(same, same.tokenFrames), same);
});

test('longer durations repeat text features and interpolate pitch', () => {
  const longer = retime(front(2, 1, 3), Int32Array.of(4, 2, 6));
  assert.equal(longer.frames, 12);
  assert.deepEqual([...longer.frameTokens], [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2]);
  const { f0 } = longer;
  assert.ok(f0.every((value, half) => half === 0 || value >= f0[half - 1]!));
});
