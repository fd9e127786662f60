import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteadyFrames } from './steady-frames.ts';

const SIZES = { frameSamples: 4, contextSamples: 2 };
const constant = (value: number, frames: number) => new Float32Array(2 + 4 * frames).fill(value);

/** A detector whose model has settled on silence. */
function settledOnSilence(): SteadyFrames {
  const steady = new SteadyFrames(SIZES);
  for (let count = 0; count < 1024; count += 64) steady.add(constant(0, 64), 64);
  return steady;
}

test('a long silence settles, and its next frames need no inference', () => {
  const steady = settledOnSilence();
  assert.equal(steady.isSettled, true);
  assert.equal(steady.count(constant(0, 10), 10), 10);
});

test('a short silence does not settle', () => {
  const steady = new SteadyFrames(SIZES);
  steady.add(constant(0, 64), 64);
  assert.equal(steady.isSettled, false);
});

test('frames count up to the first other sample', () => {
  const steady = settledOnSilence();
  const audio = constant(0, 5);
  audio[2 + 4 * 3] = 0.001;
  assert.equal(steady.count(audio, 5), 3);
  assert.equal(steady.count(constant(0.5, 5), 5), 0);
});

test('another value starts again', () => {
  const steady = settledOnSilence();
  steady.add(constant(0.5, 64), 64);
  assert.equal(steady.isSettled, false);
  for (let count = 64; count < 1024; count += 64) steady.add(constant(0.5, 64), 64);
  assert.equal(steady.isSettled, true);
});

test('a single other sample starts again', () => {
  const steady = settledOnSilence();
  const audio = constant(0, 4);
  audio[7] = 1;
  steady.add(audio, 4);
  assert.equal(steady.isSettled, false);
});
