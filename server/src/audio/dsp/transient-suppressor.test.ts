import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findClicks } from '../../../test/support/audio/clicks.ts';
import {
  chunkSizes,
  cutInto,
  noise,
  runStage,
  speechLike,
  tone,
} from '../../../test/support/audio/signals.ts';
import { joinSamples } from '../pcm.ts';
import { TransientSuppressor } from './transient-suppressor.ts';

const RATE = 24000;
const MS = RATE / 1000;

function soften(parts: readonly Float32Array[], sampleRateHz = RATE): Float32Array {
  return runStage(new TransientSuppressor({ sampleRateHz }), parts);
}

/** Half a second of speech-like sound with something put into its middle. */
function planted(plant: (samples: Float32Array, at: number) => void): Float32Array {
  const samples = speechLike(RATE / 2, RATE);
  plant(samples, RATE / 4);
  return samples;
}

const CLICKS: Record<string, Float32Array> = {
  'a single bad sample': planted((samples, at) => {
    samples[at]! += 0.3;
  }),
  'a burst of noise of a millisecond': planted((samples, at) => {
    for (const [index, value] of noise(MS, 0.3).entries()) samples[at + index]! += value;
  }),
  'a step': planted((samples, at) => {
    for (let index = at; index < samples.length; index++) samples[index]! += 0.2;
  }),
  'a few samples that are lost': planted((samples, at) => {
    samples.copyWithin(at, at + 5 * MS);
  }),
  'a sharp release out of silence': joinSamples([
    new Float32Array(RATE / 10),
    noise(1.5 * MS, 0.2),
    noise(RATE / 10, 0.01),
  ]),
};

describe('what clicks is softened', () => {
  for (const [name, samples] of Object.entries(CLICKS)) {
    test(name, () => {
      assert.ok(findClicks(samples, RATE).length > 0, 'the detector hears it before');
      assert.deepEqual(findClicks(soften([samples]), RATE), []);
    });
  }
});

describe('what does not click comes out bit for bit', () => {
  const SOUNDS: Record<string, Float32Array> = {
    'something like speech': speechLike(RATE, RATE),
    noise: noise(RATE, 0.5),
    'a tone': tone({ frequencyHz: 3000, sampleRateHz: RATE, seconds: 0.5 }),
    'a consonant with its breath': joinSamples([new Float32Array(RATE / 10), noise(20 * MS, 0.2)]),
    'a voice as low as 75 Hz': Float32Array.from({ length: RATE }, (_, at) => (at % 320 === 0 ? 0.5 : 0)),
    'a click too faint to be heard': Float32Array.from({ length: RATE }, (_, at) =>
      at === 9000 ? 0.004 : 0,
    ),
    nothing: new Float32Array(0),
  };
  for (const [name, samples] of Object.entries(SOUNDS)) {
    test(name, () => assert.deepEqual(soften([samples]), samples));
  }
});

test('only the burst is touched, and its dull part stays', () => {
  const thud = tone({ frequencyHz: 200, sampleRateHz: RATE, seconds: 0.5, amplitude: 0.3 });
  const clicking = thud.slice();
  clicking[6000]! += 0.3;
  const softened = soften([clicking]);
  for (const [at, sample] of softened.entries()) {
    if (Math.abs(at - 6000) > 2 * MS) assert.equal(sample, clicking[at]);
    else assert.ok(Math.abs(sample - thud[at]!) < 0.06, `${sample - thud[at]!} at ${at}`);
  }
});

test('the output does not depend on how the input is cut', () => {
  for (const samples of Object.values(CLICKS)) {
    const whole = soften([samples]);
    fc.assert(
      fc.property(chunkSizes, (sizes) => {
        assert.deepEqual(soften(cutInto(samples, sizes)), whole);
      }),
      { numRuns: 20 },
    );
  }
});

test('bursts in a row come out the same however they are cut', () => {
  // What is softened with a burst right beside it hides less of what follows; a call must see that as well as the next one.
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
      (bursts, rate, sizes) => {
        const samples = noise(3000, 0.005);
        let at = 100;
        for (const { gap, height } of bursts) {
          at += gap;
          samples[at] = (at % 2 === 0 ? 1 : -1) * height;
        }
        assert.deepEqual(soften(cutInto(samples, sizes), rate), soften([samples], rate));
      },
    ),
    { numRuns: 300 },
  );
});

test('the length is kept at any rate', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 5000 }),
      fc.constantFrom(8000, 16000, 22050, 44100),
      (length, rate) => {
        assert.equal(soften([noise(length, 0.3)], rate).length, length);
      },
    ),
  );
});
