import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findClicks } from '../../../test/support/audio/clicks.ts';
import {
  chunkSizes,
  divideInto,
  noise,
  runStage,
  speechLike,
  tone,
} from '../../../test/support/audio/signals.ts';
import { joinSamples } from '../pcm.ts';
import { TransientSuppressor } from './transient-suppressor.ts';

const RATE = 24000;
const MS = RATE / 1000;

function suppress(parts: readonly Float32Array[], sampleRateHz = RATE): Float32Array {
  return runStage(new TransientSuppressor({ sampleRateHz }), parts);
}

/** Half a second of speech-like audio with a disturbance in the middle. */
function disturbed(disturb: (samples: Float32Array, at: number) => void): Float32Array {
  const samples = speechLike(RATE / 2, RATE);
  disturb(samples, RATE / 4);
  return samples;
}

const CLICKS: Record<string, Float32Array> = {
  'a single wrong sample': disturbed((samples, at) => {
    samples[at]! += 0.3;
  }),
  'a noise burst of a millisecond': disturbed((samples, at) => {
    for (const [index, value] of noise(MS, 0.3).entries()) samples[at + index]! += value;
  }),
  'a step': disturbed((samples, at) => {
    for (let index = at; index < samples.length; index++) samples[index]! += 0.2;
  }),
  'missing samples': disturbed((samples, at) => {
    samples.copyWithin(at, at + 5 * MS);
  }),
  'a plosive release after silence': joinSamples([
    new Float32Array(RATE / 10),
    noise(1.5 * MS, 0.2),
    noise(RATE / 10, 0.01),
  ]),
};

describe('clicks are suppressed', () => {
  for (const [name, samples] of Object.entries(CLICKS)) {
    test(name, () => {
      assert.equal(findClicks(samples, RATE).length, 1, 'the click detector finds it before');
      assert.deepEqual(findClicks(suppress([samples]), RATE), []);
    });
  }
});

describe('audio without clicks passes unchanged', () => {
  const SIGNALS: Record<string, Float32Array> = {
    'speech-like audio': speechLike(RATE, RATE),
    noise: noise(RATE, 0.5),
    'a tone': tone({ frequencyHz: 3000, sampleRateHz: RATE, seconds: 0.5 }),
    'a plosive release with aspiration': joinSamples([new Float32Array(RATE / 10), noise(20 * MS, 0.2)]),
    'a pulse train of 75 Hz, like a low voice': Float32Array.from({ length: RATE }, (_, at) =>
      at % 320 === 0 ? 0.5 : 0,
    ),
    'an inaudible click': Float32Array.from({ length: RATE }, (_, at) => (at === 9000 ? 0.004 : 0)),
    'no samples': new Float32Array(0),
  };
  for (const [name, samples] of Object.entries(SIGNALS)) {
    test(name, () => assert.deepEqual(suppress([samples]), samples));
  }
});

test('the click detector finds no clicks in speech-like audio, noise and pulse trains', () => {
  const pulses = Float32Array.from({ length: RATE }, (_, at) => (at % 320 === 0 ? 0.5 : 0));
  for (const samples of [speechLike(RATE, RATE), noise(RATE, 0.5), pulses]) {
    assert.deepEqual(findClicks(samples, RATE), []);
  }
});

test('only the transient changes, and its low-frequency part remains', () => {
  const lowTone = tone({ frequencyHz: 200, sampleRateHz: RATE, seconds: 0.5, amplitude: 0.3 });
  const withClick = lowTone.slice();
  withClick[6000]! += 0.3;
  const suppressed = suppress([withClick]);
  for (const [at, sample] of suppressed.entries()) {
    if (Math.abs(at - 6000) > 2 * MS) assert.equal(sample, withClick[at]);
    else assert.ok(Math.abs(sample - lowTone[at]!) < 0.06, `${sample - lowTone[at]!} at ${at}`);
  }
});

test('the output does not depend on how the input is divided', () => {
  for (const samples of Object.values(CLICKS)) {
    const whole = suppress([samples]);
    fc.assert(
      fc.property(chunkSizes, (sizes) => {
        assert.deepEqual(suppress(divideInto(samples, sizes)), whole);
      }),
      { numRuns: 20 },
    );
  }
});

test('the output for adjacent transients does not depend on how the input is divided', () => {
  // A suppressed transient masks less of what follows, and one call must account for that like the next one.
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          gap: fc.oneof(fc.integer({ min: 12, max: 24 }), fc.integer({ min: 190, max: 224 })),
          height: fc.double({ min: 0.05, max: 0.9 }),
        }),
        {
          minLength: 2,
          maxLength: 12,
        },
      ),
      fc.constantFrom(16000, 22050, 24000),
      chunkSizes,
      (transients, rate, sizes) => {
        const samples = noise(3000, 0.005);
        let at = 100;
        for (const { gap, height } of transients) {
          at += gap;
          samples[at] = (at % 2 === 0 ? 1 : -1) * height;
        }
        assert.deepEqual(suppress(divideInto(samples, sizes), rate), suppress([samples], rate));
      },
    ),
    { numRuns: 300 },
  );
});

test('the length does not change at any rate', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 5000 }),
      fc.constantFrom(8000, 16000, 22050, 44100),
      (length, rate) => {
        assert.equal(suppress([noise(length, 0.3)], rate).length, length);
      },
    ),
  );
});
