import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tone } from '../../../../test/support/audio/signals.ts';
import { logMel, MEL_BANDS } from './log-mel.ts';
import { melFilters } from './mel-filters.ts';

const filters = melFilters({ bands: MEL_BANDS, transformLength: 400, sampleRateHz: 16_000 });

test('the filters are those of the training of Whisper', () => {
  // Values of the filter table published with Whisper, made with librosa.
  assert.equal(filters[0]!.firstBin, 0);
  assert.ok(Math.abs(filters[0]!.weights[1]! - 0.02486259) < 1e-7);
  assert.equal(filters.length, MEL_BANDS);
  for (const { firstBin, weights } of filters) assert.ok(firstBin + weights.length <= 201);
});

test('silence gives a constant spectrogram', () => {
  const mel = logMel(new Float32Array(16_000), 300);
  assert.equal(mel.length, MEL_BANDS * 300);
  assert.ok(mel.every((value) => value === -1.5));
});

test('a tone has its maximum in the band of its frequency, for its duration', () => {
  const frames = 200;
  const mel = logMel(tone({ frequencyHz: 1000, seconds: 1, sampleRateHz: 16_000 }), frames);
  const band = filters.findIndex(
    ({ firstBin, weights }) => weights[25 - firstBin] !== undefined && weights[25 - firstBin]! > 0.02,
  );
  const level = (row: number, frame: number) => mel[row * frames + frame]!;
  for (let row = 0; row < MEL_BANDS; row++) assert.ok(level(row, 50) <= level(band, 50));
  assert.ok(level(band, 50) - level(band, 150) > 1.9);
});

test('the dynamic range is bounded at any level', () => {
  for (const amplitude of [1e-4, 1]) {
    const mel = logMel(tone({ frequencyHz: 440, seconds: 1, sampleRateHz: 16_000, amplitude }), 120);
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of mel) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    assert.ok(most - least <= 2 + 1e-6);
  }
});
