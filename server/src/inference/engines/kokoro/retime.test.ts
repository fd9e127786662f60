import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEATURE_ROWS } from './features.ts';
import { retime } from './retime.ts';

function front(tokenFrames: readonly number[]) {
  const frames = tokenFrames.reduce((sum, count) => sum + count, 0);
  const tokenOf = tokenFrames.flatMap((count, token) => Array<number>(count).fill(token));
  const asr = new Float32Array(FEATURE_ROWS * frames);
  for (let row = 0; row < FEATURE_ROWS; row++) {
    for (let frame = 0; frame < frames; frame++) asr[row * frames + frame] = row + tokenOf[frame]! / 10;
  }
  const ramp = Float32Array.from({ length: 2 * frames }, (_, half) => half);
  return { frames, asr, f0: ramp, energy: ramp.slice(), tokenFrames: Int32Array.from(tokenFrames) };
}

test('equal durations give equal features', () => {
  const same = front([2, 1, 3]);
  assert.deepEqual(retime(same, same.tokenFrames), same);
});

test('longer durations repeat text features and interpolate pitch', () => {
  const longer = retime(front([2, 1, 3]), Int32Array.of(4, 2, 6));
  assert.equal(longer.frames, 12);
  const firstRow = [...longer.asr.slice(0, 12)].map((value) => Math.round(value * 10));
  assert.deepEqual(firstRow, [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2]);
  const { f0 } = longer;
  assert.ok(f0.every((value, half) => half === 0 || value >= f0[half - 1]!));
});
