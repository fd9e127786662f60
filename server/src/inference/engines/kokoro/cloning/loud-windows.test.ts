import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loudWindows } from './loud-windows.ts';

test('windows are spread over the recording and at most six', () => {
  const samples = Float32Array.from({ length: 100 }, (_, index) => index + 1);
  const windows = loudWindows(samples, 40);
  assert.deepEqual(
    windows.map((window) => window[0]),
    [1, 61],
  );
  assert.equal(loudWindows(new Float32Array(1000).fill(1), 10).length, 6);
});

test('a short recording is repeated, silence gives no windows of its own', () => {
  assert.deepEqual([...loudWindows(Float32Array.of(1, 2), 3)[0]!], [1, 2, 1]);
  const halfSilent = new Float32Array(20);
  halfSilent.fill(0.5, 0, 10);
  assert.equal(loudWindows(halfSilent, 10).length, 1);
  assert.deepEqual(loudWindows(new Float32Array(0), 10), []);
});
