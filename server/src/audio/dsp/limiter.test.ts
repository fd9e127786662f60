import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  chunkSizes,
  divideInto,
  noise,
  peak,
  runStage,
  speechLike,
  tone,
} from '../../../test/support/audio/signals.ts';
import { applyGain, decibelsToFactor } from '../gain.ts';
import { joinSamples } from '../pcm.ts';
import { Limiter } from './limiter.ts';
import { Resampler } from './resampler.ts';
import { SlidingMinimum } from './sliding-minimum.ts';

const CEILING = decibelsToFactor(-1);

function limit(samples: Float32Array, sampleRateHz = 24000): Float32Array {
  return runStage(new Limiter({ sampleRateHz }), [samples]);
}

test('audio under the ceiling passes unchanged, without delay', () => {
  const speech = speechLike(24000, 24000);
  const quiet = applyGain(speech, -20 * Math.log10(peak(speech)) - 3);
  assert.deepEqual(limit(quiet), quiet);
});

test('no output is above the ceiling for any input', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          length: fc.integer({ min: 1, max: 400 }),
          level: fc.double({ min: 0, max: 12, noNaN: true }),
        }),
        { maxLength: 20 },
      ),
      fc.constantFrom(8000, 24000, 44100),
      (bursts, sampleRateHz) => {
        const input = Float32Array.from(
          bursts.flatMap(({ length, level }, i) => [...noise(length, level, i + 1)]),
        );
        assert.ok(peak(limit(input, sampleRateHz)) <= CEILING * (1 + 1e-6));
      },
    ),
  );
});

test('peaks between samples are limited', () => {
  // A quarter of the sample rate, with peaks between the samples that are 3 dB above every sample.
  const input = Float32Array.from(
    { length: 9600 },
    (_, i) => 0.99 * Math.SQRT2 * Math.sin((Math.PI / 2) * i + Math.PI / 4),
  );
  assert.ok(peak(input) < 1);
  const oversampled = runStage(new Resampler({ fromHz: 24000, toHz: 48000 }), [limit(input)]);
  const steady = oversampled.subarray(2000, oversampled.length - 2000);
  assert.ok(peak(steady) < decibelsToFactor(-0.8), `${peak(steady)}`);
  assert.ok(peak(steady) > decibelsToFactor(-1.3), `${peak(steady)}`);
});

test('the gain changes without steps before and after a peak', () => {
  const input = tone({ frequencyHz: 200, sampleRateHz: 24000, seconds: 1, amplitude: 0.5 });
  for (let i = 11000; i < 13000; i++) input[i] = (input[i] as number) * 5;
  const output = limit(input);
  const gain = (i: number) => (output[i] as number) / (input[i] as number);
  let before = 1;
  for (let i = 1; i < input.length; i++) {
    if (Math.abs(input[i] as number) < 0.05) continue;
    assert.ok(Math.abs(gain(i) - before) < 0.2, `jump at ${i}`);
    before = gain(i);
  }
  assert.ok(gain(10800) > 0.999 && gain(12010) < 0.6 && gain(23990) > 0.99);
});

test('the length does not change, and the output does not depend on how the input is divided', () => {
  const input = joinSamples([
    noise(4000, 0.1),
    applyGain(speechLike(20000, 24000), 14),
    noise(3000, 0.2),
    noise(500, 6),
    noise(3000, 0.3),
  ]);
  const whole = limit(input);
  assert.equal(whole.length, input.length);
  fc.assert(
    fc.property(chunkSizes, (sizes) => {
      assert.deepEqual(runStage(new Limiter({ sampleRateHz: 24000 }), divideInto(input, sizes)), whole);
    }),
    { numRuns: 20, examples: [[[1]]] },
  );
  for (const length of [0, 1, 50, 101, 102]) assert.equal(limit(noise(length, 3)).length, length);
});

test('a minute in one call gives the same output as small parts, and streams are independent', () => {
  const input = applyGain(speechLike(60 * 24000, 24000), 12);
  const whole = limit(input);
  assert.ok(peak(whole) <= CEILING * (1 + 1e-6));
  const [first, second] = [new Limiter({ sampleRateHz: 24000 }), new Limiter({ sampleRateHz: 24000 })];
  const outputs = divideInto(input, [24000]).map((part) => {
    second.process(applyGain(part, -3));
    return first.process(part);
  });
  assert.deepEqual(joinSamples([...outputs, first.flush()]), whole);
});

test('the latency is at most 5 ms', () => {
  for (const sampleRateHz of [8000, 24000, 44100]) {
    const given = sampleRateHz;
    const returned = new Limiter({ sampleRateHz }).process(new Float32Array(given)).length;
    assert.ok((given - returned) / sampleRateHz <= 0.005);
  }
});

test('the sliding minimum equals the minimum of the window', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true })), fc.integer({ min: 1, max: 9 }), (values, length) => {
      const minimum = new SlidingMinimum(length);
      values.forEach((value, i) => {
        assert.equal(minimum.next(value), Math.min(...values.slice(Math.max(0, i - length + 1), i + 1)));
      });
    }),
  );
});
