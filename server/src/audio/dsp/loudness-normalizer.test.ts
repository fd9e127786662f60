import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chunkSizes, divideInto, peak, runStage, speechLike } from '../../../test/support/audio/signals.ts';
import { applyGain, decibelsToFactor, factorToDecibels } from '../gain.ts';
import { joinSamples } from '../pcm.ts';
import { measureLoudness } from './loudness.ts';
import { LoudnessNormalizer, type LoudnessNormalizerOptions } from './loudness-normalizer.ts';

const RATE_HZ = 24000;

function speechAt(lufs: number, seconds: number): Float32Array {
  const speech = speechLike(seconds * RATE_HZ, RATE_HZ);
  return applyGain(speech, lufs - measureLoudness(speech, RATE_HZ));
}

function normalize(samples: Float32Array, options: Partial<LoudnessNormalizerOptions> = {}): Float32Array {
  return runStage(new LoudnessNormalizer({ sampleRateHz: RATE_HZ, ...options }), [samples]);
}

test('a voice with a known gain is at the target from the start', () => {
  const output = normalize(speechAt(-24, 3), { voiceGainDb: 8 });
  assert.ok(Math.abs(measureLoudness(output, RATE_HZ) - -16) < 0.3);
  assert.ok(Math.abs(measureLoudness(output.subarray(0, RATE_HZ), RATE_HZ) - -16) < 1.5);
});

test('an unknown voice approaches the target within the bound of the correction', () => {
  const cases = [
    { from: -19, end: -16 },
    { from: -13, end: -16 },
    { from: -30, end: -26 },
  ];
  for (const { from, end } of cases) {
    const output = normalize(speechAt(from, 25));
    const late = measureLoudness(output.subarray(20 * RATE_HZ), RATE_HZ);
    assert.ok(Math.abs(late - end) < 0.8, `${from} LUFS ends at ${late}`);
  }
});

test('the gain changes by at most half a decibel per second, without pumping at pauses and shouts', () => {
  const input = joinSamples([
    speechAt(-22, 4),
    new Float32Array(2 * RATE_HZ),
    speechAt(-18, 3),
    speechAt(-30, 3),
  ]);
  const output = normalize(input);
  const gainsDb: { readonly second: number; readonly gainDb: number }[] = [];
  for (let second = 0; second < 12; second += 0.25) {
    const range = [second * RATE_HZ, (second + 0.02) * RATE_HZ] as const;
    const level = peak(input.subarray(...range));
    if (level < 0.001) continue;
    gainsDb.push({ second, gainDb: factorToDecibels(peak(output.subarray(...range)) / level) });
  }
  assert.ok(gainsDb.length > 20);
  gainsDb.slice(1).forEach(({ second, gainDb }, index) => {
    const before = gainsDb[index] as (typeof gainsDb)[number];
    const allowedDb = 0.5 * (second - before.second) + 0.03;
    assert.ok(
      Math.abs(gainDb - before.gainDb) <= allowedDb,
      `second ${second}: ${gainDb - before.gainDb} dB`,
    );
  });
});

test('the volume adds to the target, and the maximum volume does not clip', () => {
  const speech = speechAt(-16, 4);
  assert.ok(Math.abs(measureLoudness(normalize(speech, { volumeDb: -10 }), RATE_HZ) - -26) < 0.3);
  assert.ok(peak(normalize(speech, { volumeDb: 20 })) <= decibelsToFactor(-1) * (1 + 1e-6));
});

test('silence remains silence, and the length does not change', () => {
  assert.deepEqual(normalize(new Float32Array(RATE_HZ), { voiceGainDb: 12 }), new Float32Array(RATE_HZ));
  for (const length of [0, 1, 100, 12345])
    assert.equal(normalize(speechLike(length, RATE_HZ)).length, length);
});

test('the output does not depend on how the input is divided', () => {
  const input = speechAt(-20, 2);
  const whole = normalize(input);
  fc.assert(
    fc.property(chunkSizes, (sizes) => {
      const stage = new LoudnessNormalizer({ sampleRateHz: RATE_HZ });
      assert.deepEqual(runStage(stage, divideInto(input, sizes)), whole);
    }),
    { numRuns: 15 },
  );
});
