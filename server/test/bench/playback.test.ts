import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Arrival, simulatePlayback } from '../../bench/clients/playback.ts';

const second = (atMs: number): Arrival => ({ atMs, audioSeconds: 1 });

test('a stream ahead of playback has no underrun', () => {
  const playback = simulatePlayback([second(100), second(600), second(1900)], 100);
  assert.equal(playback.underruns, 0);
  assert.equal(playback.stalledSeconds, 0);
  assert.equal(Math.round(playback.smallestLeadSeconds * 1000), 200);
});

test('every underrun is counted, and their durations are summed', () => {
  const playback = simulatePlayback([second(0), second(1500), second(2000), second(4000)], 0);
  assert.equal(playback.underruns, 2);
  assert.equal(playback.stalledSeconds, 1);
  assert.equal(playback.smallestLeadSeconds, -0.5);
});

test('after a stall playback resumes at the same position', () => {
  // The second arrival ends a stall at 3 s, so the third is due at 4 s.
  assert.equal(simulatePlayback([second(0), second(3000), second(3900)], 0).underruns, 1);
  assert.equal(simulatePlayback([second(0), second(3000), second(4100)], 0).underruns, 2);
});

test('audio received before the start is buffered', () => {
  const playback = simulatePlayback([second(0), second(50), second(2000)], 50);
  assert.equal(playback.underruns, 0);
  assert.equal(Math.round(playback.smallestLeadSeconds * 1000), 50);
});
