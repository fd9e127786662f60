import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chunkSizes, divideInto, noise, peak, rms, tone } from '../../../test/support/audio/signals.ts';
import { applyGain, decibelsToFactor } from '../gain.ts';
import { joinSamples } from '../pcm.ts';
import { createSilence, SilenceTrimmer } from './silence.ts';

const RATE_HZ = 24000;
const FRAME = 0.005 * RATE_HZ;

const active = (seconds: number) => tone({ frequencyHz: 300, sampleRateHz: RATE_HZ, seconds });
const silent = (seconds: number) => noise(Math.round(seconds * RATE_HZ), 0.0005);

function trim(parts: readonly Float32Array[], keepLeadingSeconds = 0.05, pauseSeconds = 0.2) {
  const trimmer = new SilenceTrimmer({ sampleRateHz: RATE_HZ, keepLeadingSeconds });
  const output = joinSamples([...parts.map((part) => trimmer.process(part)), trimmer.finish(pauseSeconds)]);
  return { output, trimmer };
}

test('leading silence is shortened, and trailing silence becomes the pause', () => {
  const { output, trimmer } = trim([joinSamples([silent(0.4), active(0.5), silent(0.9)])]);
  const expected = (0.05 + 0.5 + 0.2) * RATE_HZ;
  assert.ok(Math.abs(output.length - expected) <= 2 * FRAME, `${output.length} samples`);
  assert.ok(Math.abs(trimmer.trimmedLeadingSamples - 0.35 * RATE_HZ) <= FRAME);
  assert.ok(rms(output.subarray(0, 0.04 * RATE_HZ)) < 0.001);
  assert.ok(rms(output.subarray(output.length - 0.19 * RATE_HZ)) < 0.001);
});

test('a shorter trailing silence is extended to the exact length of the pause', () => {
  for (const trailing of [0, 0.01, 0.1]) {
    // The active part ends at a frame boundary, so the pause is exact.
    const { output } = trim([joinSamples([active(0.5), silent(trailing)])], 0.05, 0.3);
    assert.equal(output.length, 0.8 * RATE_HZ);
  }
});

test('silence between two words is not shortened', () => {
  const piece = joinSamples([active(0.2), silent(0.6), active(0.2)]);
  const { output } = trim([piece], 0.05, 0.1);
  assert.equal(output.length, piece.length + 0.1 * RATE_HZ);
  assert.deepEqual(output.subarray(FRAME, piece.length - FRAME), piece.subarray(FRAME, piece.length - FRAME));
});

test('active frames are returned at once; only silence and a few milliseconds are held back', () => {
  const trimmer = new SilenceTrimmer({ sampleRateHz: RATE_HZ, keepLeadingSeconds: 0.05 });
  assert.equal(trimmer.process(silent(1)).length, 0);
  const given = active(0.3);
  const returned = trimmer.process(given).length;
  assert.ok(0.05 * RATE_HZ + given.length - returned <= 3 * FRAME);
  assert.ok(trimmer.process(silent(1)).length <= 3 * FRAME);
});

test('noise after the last word is counted, without the silence after it', () => {
  const trimmer = new SilenceTrimmer({ sampleRateHz: RATE_HZ, keepLeadingSeconds: 0.05 });
  const isCounted = () => {
    const missing = 0.2 * RATE_HZ - trimmer.quietTailSamples;
    return missing >= 0 && missing <= 4 * FRAME;
  };
  trimmer.process(joinSamples([active(0.5), applyGain(active(0.2), -35)]));
  assert.ok(isCounted(), `${trimmer.quietTailSamples} samples`);
  trimmer.process(silent(0.3));
  assert.ok(isCounted(), `${trimmer.quietTailSamples} samples`);
  trimmer.process(active(0.1));
  assert.equal(trimmer.quietTailSamples, 0);
});

test('a level between the two thresholds continues active audio but does not start it', () => {
  const between = applyGain(active(0.3), -53 - 20 * Math.log10(rms(active(0.3))));
  assert.equal(trim([between], 0.05, 0.1).output.length, 0.1 * RATE_HZ);
  const { output } = trim([joinSamples([active(0.3), between])], 0.05, 0.1);
  assert.ok(Math.abs(output.length - 0.7 * RATE_HZ) <= 2 * FRAME);
});

test('joins have no steps, even when audio starts and stops at full level', () => {
  const loud = new Float32Array(RATE_HZ / 2).fill(0.9);
  const joined = joinSamples([createSilence(0.1, RATE_HZ), trim([loud]).output, trim([loud]).output]);
  for (let i = 1; i < joined.length; i++) {
    const step = Math.abs((joined[i] as number) - (joined[i - 1] as number));
    assert.ok(step < 0.02, `step of ${step} at ${i}`);
  }
});

test('a silent piece and an empty piece give only the pause', () => {
  assert.deepEqual(trim([silent(1)]).output, createSilence(0.2, RATE_HZ));
  assert.deepEqual(trim([]).output, createSilence(0.2, RATE_HZ));
  assert.deepEqual(trim([], 0.05, 0).output, new Float32Array(0));
});

test('without a pause, the end is faded to silence', () => {
  const { output } = trim([joinSamples([active(0.3), silent(0.3)])], 0, 0);
  assert.ok(Math.abs(output.length - 0.3 * RATE_HZ) <= 2 * FRAME);
  assert.ok(Math.abs(output.at(-1) as number) < decibelsToFactor(-60));
});

test('the output does not depend on how the input is divided', () => {
  const piece = joinSamples([silent(0.31), active(0.2), silent(0.11), active(0.123), silent(0.4)]);
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

test('silence has the requested length, and at least 0', () => {
  assert.equal(createSilence(0.25, RATE_HZ).length, 6000);
  assert.equal(createSilence(-1, RATE_HZ).length, 0);
  assert.equal(peak(createSilence(0.1, RATE_HZ)), 0);
});
