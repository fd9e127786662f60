import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEATURE_ROWS } from './features.ts';
import { retime, scaleTokenFrames } from './retime.ts';
import { cutSegments, secondsAt } from './segments.ts';

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

test('lengths are scaled as a whole, and no sound is lost', () => {
  const scaled = scaleTokenFrames(Int32Array.of(3, 1, 2, 5), Float32Array.of(0.5, 0.5, 0.5, 0.5));
  assert.ok(scaled.every((frames) => frames >= 1));
  assert.equal(
    scaled.reduce((sum, frames) => sum + frames),
    6,
  );
  assert.deepEqual(
    scaleTokenFrames(Int32Array.of(2, 1, 4), Float32Array.of(1, 1, 1)),
    Int32Array.of(2, 1, 4),
  );
});

test('the same lengths give the same features', () => {
  const same = front([2, 1, 3]);
  assert.deepEqual(retime(same, same.tokenFrames), same);
});

test('other lengths repeat each token and draw out its pitch', () => {
  const longer = retime(front([2, 1, 3]), Int32Array.of(4, 2, 6));
  assert.equal(longer.frames, 12);
  const firstRow = [...longer.asr.slice(0, 12)].map((value) => Math.round(value * 10));
  assert.deepEqual(firstRow, [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2]);
  const { f0 } = longer;
  assert.ok(f0.every((value, half) => half === 0 || value >= f0[half - 1]!));
});

test('speech is cut where something is inserted, and times behind it move', () => {
  const pause = { kind: 'pause', seconds: 0.5 } as const;
  const insertions = [
    { wordIndex: 0, content: pause },
    { wordIndex: 1, content: pause },
    { wordIndex: 2, content: pause },
  ];
  const segments = cutSegments({ from: 10, to: 50 }, insertions, (word) => [10, 30, 50][word]!);
  assert.deepEqual(
    segments.map(({ kind }) => kind),
    ['insertion', 'speech', 'insertion', 'speech', 'insertion'],
  );
  const at = (frame: number, side: 'start' | 'end') => secondsAt({ frame, side }, segments, () => 0.5);
  assert.equal(at(10, 'start'), 0.5);
  assert.equal(at(30, 'end'), 1);
  assert.equal(at(30, 'start'), 1.5);
  assert.equal(at(50, 'end'), 2);
});
