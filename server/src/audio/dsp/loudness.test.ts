import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ffmpegLoudness, hasFfmpeg } from '../../../test/support/audio/ffmpeg.ts';
import { divideInto, noise, speechLike, tone } from '../../../test/support/audio/signals.ts';
import { applyGain, decibelsToFactor, factorToDecibels } from '../gain.ts';
import { joinSamples } from '../pcm.ts';
import { LoudnessMeter, measureLoudness } from './loudness.ts';

const RATES_HZ = [8000, 16000, 22050, 24000, 44100, 48000];

test('the calibration tone of the standard has the specified loudness at every sample rate', () => {
  for (const sampleRateHz of RATES_HZ) {
    // BS.1770: a 997 Hz sine at 0 dBFS in one channel is -3.01 LUFS.
    const sine = tone({ frequencyHz: 997, sampleRateHz, seconds: 3, amplitude: 1 });
    const lufs = measureLoudness(sine, sampleRateHz);
    assert.ok(Math.abs(lufs - -3.01) < 0.06, `${sampleRateHz} Hz: ${lufs}`);
  }
});

test('loudness changes by the gain in decibels', () => {
  const speech = speechLike(24000 * 4, 24000);
  const before = measureLoudness(speech, 24000);
  assert.ok(Math.abs(measureLoudness(applyGain(speech, -7), 24000) - (before - 7)) < 0.05);
});

test('pauses are gated', () => {
  const speech = noise(24000 * 8, 0.2);
  const withPauses = joinSamples([new Float32Array(24000 * 5), speech, new Float32Array(24000 * 8)]);
  const difference = measureLoudness(withPauses, 24000) - measureLoudness(speech, 24000);
  assert.ok(Math.abs(difference) < 0.3, `${difference}`);
});

test('silence and less than one block have no loudness', () => {
  assert.equal(measureLoudness(new Float32Array(24000), 24000), Number.NEGATIVE_INFINITY);
  assert.equal(measureLoudness(noise(9000), 24000), Number.NEGATIVE_INFINITY);
  assert.equal(measureLoudness(new Float32Array(0), 24000), Number.NEGATIVE_INFINITY);
});

test('the result does not depend on how the samples are divided', () => {
  const speech = speechLike(24000 * 2, 24000);
  const meter = new LoudnessMeter(24000);
  for (const part of divideInto(speech, [1, 777, 5000, 13])) meter.process(part);
  assert.equal(meter.integratedLufs(), measureLoudness(speech, 24000));
});

test('FFmpeg measures the same on speech with loud and soft segments', () => {
  const speech = joinSamples([
    speechLike(48000 * 3, 48000),
    applyGain(speechLike(48000 * 2, 48000), -15),
    applyGain(noise(48000 * 2), -30),
  ]);
  const measured = measureLoudness(speech, 48000);
  assert.ok(measured > -40 && measured < -5);
  if (hasFfmpeg) assert.ok(Math.abs(measured - ffmpegLoudness(speech, 48000)) <= 0.1);
});

test('decibels and factors convert to each other', () => {
  assert.equal(decibelsToFactor(20), 10);
  assert.equal(factorToDecibels(10), 20);
  assert.equal(factorToDecibels(0), Number.NEGATIVE_INFINITY);
  const samples = noise(10);
  assert.equal(applyGain(samples, 0), samples);
  assert.deepEqual(applyGain(Float32Array.of(0.05), 20), Float32Array.of(0.5));
});
