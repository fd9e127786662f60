import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chunkSizes, divideInto, noise, peak, rms, tone } from '../../../test/support/audio/signals.ts';
import { applyGain, decibelsToFactor } from '../gain.ts';
import { joinSamples } from '../pcm.ts';
import { pause, SilenceTrimmer } from './silence.ts';

const RATE_HZ = 24000;
const FRAME = 0.005 * RATE_HZ;

const sound = (seconds: number) => tone({ frequencyHz: 300, sampleRateHz: RATE_HZ, seconds });
const quiet = (seconds: number) => noise(Math.round(seconds * RATE_HZ), 0.0005);

function trim(parts: readonly Float32Array[], keepLeadingSeconds = 0.05, pauseSeconds = 0.2) {
  const trimmer = new SilenceTrimmer({ sampleRateHz: RATE_HZ, keepLeadingSeconds });
  const output = joinSamples([...parts.map((part) => trimmer.process(part)), trimmer.finish(pauseSeconds)]);
  return { output, trimmer };
}

test('leading quiet is cut to what is kept, trailing quiet becomes the pause', () => {
  const { output, trimmer } = trim([joinSamples([quiet(0.4), sound(0.5), quiet(0.9)])]);
  const expected = (0.05 + 0.5 + 0.2) * RATE_HZ;
  assert.ok(Math.abs(output.length - expected) <= 2 * FRAME, `${output.length} samples`);
  assert.ok(Math.abs(trimmer.trimmedLeadingSamples - 0.35 * RATE_HZ) <= FRAME);
  assert.ok(rms(output.subarray(0, 0.04 * RATE_HZ)) < 0.001);
  assert.ok(rms(output.subarray(output.length - 0.19 * RATE_HZ)) < 0.001);
});

test('a short end is filled up to the pause, and to the sample', () => {
  for (const trailing of [0, 0.01, 0.1]) {
    // The sound ends on the trimmer's grid, so the pause is exact.
    const { output } = trim([joinSamples([sound(0.5), quiet(trailing)])], 0.05, 0.3);
    assert.equal(output.length, 0.8 * RATE_HZ);
  }
});

test('quiet between two words is kept whole', () => {
  const piece = joinSamples([sound(0.2), quiet(0.6), sound(0.2)]);
  const { output } = trim([piece], 0.05, 0.1);
  assert.equal(output.length, piece.length + 0.1 * RATE_HZ);
  assert.deepEqual(output.subarray(FRAME, piece.length - FRAME), piece.subarray(FRAME, piece.length - FRAME));
});

test('sound leaves at once; only quiet and a few milliseconds wait', () => {
  const trimmer = new SilenceTrimmer({ sampleRateHz: RATE_HZ, keepLeadingSeconds: 0.05 });
  assert.equal(trimmer.process(quiet(1)).length, 0);
  const given = sound(0.3);
  const returned = trimmer.process(given).length;
  assert.ok(0.05 * RATE_HZ + given.length - returned <= 3 * FRAME);
  assert.ok(trimmer.process(quiet(1)).length <= 3 * FRAME);
});

test('between the two thresholds sound goes on, but does not begin', () => {
  const between = applyGain(sound(0.3), -53 - 20 * Math.log10(rms(sound(0.3))));
  assert.equal(trim([between], 0.05, 0.1).output.length, 0.1 * RATE_HZ);
  const { output } = trim([joinSamples([sound(0.3), between])], 0.05, 0.1);
  assert.ok(Math.abs(output.length - 0.7 * RATE_HZ) <= 2 * FRAME);
});

test('no join clicks, even where sound starts and stops at full level', () => {
  const loud = new Float32Array(RATE_HZ / 2).fill(0.9);
  const joined = joinSamples([pause(0.1, RATE_HZ), trim([loud]).output, trim([loud]).output]);
  for (let i = 1; i < joined.length; i++) {
    const step = Math.abs((joined[i] as number) - (joined[i - 1] as number));
    assert.ok(step < 0.02, `step of ${step} at ${i}`);
  }
});

test('a piece without sound is only the pause, and an empty one too', () => {
  assert.deepEqual(trim([quiet(1)]).output, pause(0.2, RATE_HZ));
  assert.deepEqual(trim([]).output, pause(0.2, RATE_HZ));
  assert.deepEqual(trim([], 0.05, 0).output, new Float32Array(0));
});

test('no pause at all still ends in silence', () => {
  const { output } = trim([joinSamples([sound(0.3), quiet(0.3)])], 0, 0);
  assert.ok(Math.abs(output.length - 0.3 * RATE_HZ) <= 2 * FRAME);
  assert.ok(Math.abs(output.at(-1) as number) < decibelsToFactor(-60));
});

test('the output does not depend on how the input was cut', () => {
  const piece = joinSamples([quiet(0.31), sound(0.2), quiet(0.11), sound(0.123), quiet(0.4)]);
  const whole = trim([piece]);
  fc.assert(
    fc.property(chunkSizes, (sizes) => {
      const { output, trimmer } = trim(divideInto(piece, sizes));
      assert.deepEqual(output, whole.output);
      assert.equal(trimmer.trimmedLeadingSamples, whole.trimmer.trimmedLeadingSamples);
    }),
    { numRuns: 30 },
  );
});

test('a pause has the length asked for and never a negative one', () => {
  assert.equal(pause(0.25, RATE_HZ).length, 6000);
  assert.equal(pause(-1, RATE_HZ).length, 0);
  assert.equal(peak(pause(0.1, RATE_HZ)), 0);
});
