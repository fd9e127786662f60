import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  amplitudeAt,
  chunkSizes,
  divideInto,
  rms,
  speechLike,
  tone,
} from '../../../test/support/audio/signals.ts';
import { joinSamples } from '../pcm.ts';
import { trackPitch } from './pitch-track.ts';
import { TimeCompressor, uniformCompression } from './time-compressor.ts';

const RATE = 24000;
const FACTORS = [1.1, 1.5, 2];

function compress(parts: readonly Float32Array[], factor: number): Float32Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const compressor = new TimeCompressor(uniformCompression(factor, length, RATE));
  return joinSamples([...parts.map((part) => compressor.push(part)), compressor.flush()]);
}

/** A vowel: a pulse train through two resonances. */
function vowel(pitchHz: number, seconds: number): Float32Array {
  const period = Math.round(RATE / pitchHz);
  let [a1, a2, b1, b2] = [0, 0, 0, 0];
  return Float32Array.from({ length: Math.round(seconds * RATE) }, (_, index) => {
    const pulse = index % period === 0 ? 1 : 0;
    [a2, a1] = [a1, pulse + 2 * 0.97 * Math.cos((2 * Math.PI * 600) / RATE) * a1 - 0.97 ** 2 * a2];
    [b2, b1] = [b1, a1 + 2 * 0.95 * Math.cos((2 * Math.PI * 1700) / RATE) * b1 - 0.95 ** 2 * b2];
    return 0.01 * b1;
  });
}

function largestStep(samples: Float32Array): number {
  let largest = 0;
  for (let index = 1; index < samples.length; index++) {
    largest = Math.max(largest, Math.abs(samples[index]! - samples[index - 1]!));
  }
  return largest;
}

test('the output length is the input length divided by the factor, exactly', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 20000 }),
      fc.double({ min: 1, max: 2, noNaN: true }),
      (length, factor) => {
        const compressed = compress([speechLike(length, RATE)], factor);
        assert.equal(compressed.length, Math.round(length / factor));
      },
    ),
    { numRuns: 40 },
  );
});

test('the output does not depend on how the input is divided', () => {
  const speech = speechLike(RATE, RATE);
  const whole = compress([speech], 1.6);
  fc.assert(
    fc.property(chunkSizes, (sizes) => {
      assert.deepEqual(compress(divideInto(speech, sizes), 1.6), whole);
    }),
    { numRuns: 10 },
  );
});

for (const factor of FACTORS) {
  test(`a tone compressed by ${factor} keeps its frequency`, () => {
    const compressed = compress([tone({ frequencyHz: 220, sampleRateHz: RATE, seconds: 2 })], factor);
    const middle = compressed.subarray(1000, -1000);
    assert.ok(Math.abs(amplitudeAt(middle, 220, RATE) - 0.5) < 0.02, `${amplitudeAt(middle, 220, RATE)}`);
    assert.ok(amplitudeAt(middle, 220 * factor, RATE) < 0.02);
  });

  for (const pitchHz of [90, 150, 300]) {
    test(`a vowel at ${pitchHz} Hz compressed by ${factor} keeps its pitch and level`, () => {
      const original = vowel(pitchHz, 1.5);
      const compressed = compress([original], factor);
      const voiced = [...trackPitch(compressed, RATE).pitchHz].filter((hz) => hz > 0);
      const close = voiced.filter((hz) => Math.abs(12 * Math.log2(hz / pitchHz)) < 0.5);
      assert.ok(
        close.length > 0.95 * voiced.length && voiced.length > 20,
        `${close.length} of ${voiced.length}`,
      );
      assert.ok(Math.abs(20 * Math.log10(rms(compressed) / rms(original))) < 0.5);
    });
  }

  test(`speech compressed by ${factor} has no clicks`, () => {
    const original = speechLike(2 * RATE, RATE);
    assert.ok(largestStep(compress([original], factor)) <= 1.1 * largestStep(original));
  });

  test(`onsets compressed by ${factor} are at the expected times`, () => {
    const speech = new Float32Array(2 * RATE);
    const burst = vowel(150, 0.2);
    for (const seconds of [0.3, 0.9, 1.5]) speech.set(burst, seconds * RATE);
    const compressed = compress([speech], factor);
    for (const seconds of [0.3, 0.9, 1.5]) {
      const due = Math.round((seconds / factor) * RATE);
      const search = compressed.subarray(due - 0.05 * RATE);
      const begin = search.findIndex((sample) => Math.abs(sample) > 0.005) - 0.05 * RATE;
      assert.ok(Math.abs(begin) < 0.02 * RATE, `${begin / RATE} s late`);
    }
  });
}

test('segments can be compressed by different factors', () => {
  const slow = vowel(150, 1);
  const speech = joinSamples([slow, new Float32Array(0.5 * RATE), vowel(220, 1)]);
  // The first second is unchanged, the rest takes half of its time.
  const sourceOf = (output: number) => (output < RATE ? output : 2 * output - RATE);
  const compressor = new TimeCompressor({ sampleRateHz: RATE, length: 1.75 * RATE, sourceOf });
  const compressed = joinSamples([compressor.push(speech), compressor.flush()]);
  assert.equal(compressed.length, 1.75 * RATE);
  assert.deepEqual(compressed.subarray(0, 0.9 * RATE), slow.subarray(0, 0.9 * RATE));
  assert.ok(rms(compressed.subarray(1.06 * RATE, 1.19 * RATE)) < 1e-3);
  const pitches = [...trackPitch(compressed.subarray(1.3 * RATE), RATE).pitchHz].filter((hz) => hz > 0);
  assert.ok(pitches.length > 20 && pitches.every((hz) => Math.abs(hz - 220) < 5));
});

test('silence remains silence', () => {
  assert.ok(compress([new Float32Array(RATE)], 1.5).every((sample) => sample === 0));
});

for (const factor of [0.9, Number.NaN]) {
  test(`a factor of ${factor} is rejected`, () => {
    assert.throws(() => uniformCompression(factor, RATE, RATE), RangeError);
  });
}
