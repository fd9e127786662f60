import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SAMPLES_PER_FRAME } from '../networks/features.ts';
import { decodeInWindows, planWindows } from './windows.ts';

test('windows are contiguous, and none is shorter than 10 frames', () => {
  fc.assert(
    fc.property(
      fc.nat(50),
      fc.integer({ min: 1, max: 2000 }),
      fc.boolean(),
      (from, frames, isLatencyCritical) => {
        const windows = planWindows({ from, to: from + frames }, isLatencyCritical);
        assert.equal(windows[0]?.from, from);
        assert.equal(windows.at(-1)?.to, from + frames);
        for (const [index, window] of windows.entries()) {
          assert.ok(window.to - window.from >= Math.min(10, frames));
          if (index > 0) assert.equal(window.from, windows[index - 1]!.to);
        }
      },
    ),
  );
});

test('a latency critical plan starts with a small window and a short one; other plans have fewer windows', () => {
  const range = { from: 0, to: 320 };
  assert.deepEqual(
    planWindows(range, true).map(({ from, to }) => to - from),
    [32, 40, 124, 124],
  );
  assert.deepEqual(
    planWindows({ from: 0, to: 240 }, true).map(({ from, to }) => to - from),
    [32, 48, 160],
  );
  assert.deepEqual(
    planWindows({ from: 0, to: 100 }, true).map(({ from, to }) => to - from),
    [32, 68],
  );
  assert.deepEqual(
    planWindows(range, false).map(({ from, to }) => to - from),
    [160, 160],
  );
});

test('windowed decoding reproduces full decoding when the windows agree', async () => {
  const whole = Float32Array.from({ length: 500 * SAMPLES_PER_FRAME }, (_, index) => Math.sin(index / 10));
  const parts: number[] = [];
  const decode = async (from: number, to: number) =>
    whole.slice(from * SAMPLES_PER_FRAME, to * SAMPLES_PER_FRAME);
  for await (const part of decodeInWindows(planWindows({ from: 5, to: 400 }, true), decode))
    parts.push(...part);
  assert.equal(parts.length, 395 * SAMPLES_PER_FRAME);
  const offset = 5 * SAMPLES_PER_FRAME;
  assert.ok(parts.every((sample, index) => Math.abs(sample - whole[index + offset]!) < 1e-6));
});

test('windows that differ are crossfaded without a discontinuity', async () => {
  let calls = 0;
  const decode = async (from: number, to: number) =>
    new Float32Array((to - from) * SAMPLES_PER_FRAME).fill(calls++ % 2 === 0 ? 0 : 1);
  const samples: number[] = [];
  for await (const part of decodeInWindows(planWindows({ from: 0, to: 60 }, true), decode))
    samples.push(...part);
  const steps = samples.slice(1).map((sample, index) => Math.abs(sample - samples[index]!));
  assert.ok(Math.max(...steps) < 0.01);
  assert.equal(samples.at(-1), 1);
});

test('decoding continues in a second call without a discontinuity', async () => {
  const constant = (level: number) => async (from: number, to: number) =>
    new Float32Array((to - from) * SAMPLES_PER_FRAME).fill(level);
  const overlap = { samples: undefined };
  const samples: number[] = [];
  const first = decodeInWindows([{ from: 0, to: 20 }], constant(0), { overlap, continues: true });
  for await (const part of first) samples.push(...part);
  for await (const part of decodeInWindows([{ from: 20, to: 40 }], constant(1), { overlap }))
    samples.push(...part);
  assert.equal(samples.length, 40 * SAMPLES_PER_FRAME);
  const steps = samples.slice(1).map((sample, index) => Math.abs(sample - samples[index]!));
  assert.ok(Math.max(...steps) < 0.01);
});
