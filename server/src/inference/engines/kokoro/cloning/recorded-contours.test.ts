import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLE_RATE_HZ } from '../networks/features.ts';
import { recordedEnergy } from './recorded-energy.ts';
import { recordedPitch } from './recorded-pitch.ts';

/** A second of voice at this pitch, then half a second of silence. */
function voice(hz: number, gain = 0.1): Float32Array {
  return Float32Array.from({ length: 1.5 * SAMPLE_RATE_HZ }, (_, index) => {
    if (index >= SAMPLE_RATE_HZ) return 0;
    let sum = 0;
    for (let harmonic = 1; harmonic <= 12; harmonic++)
      sum += Math.sin((2 * Math.PI * hz * harmonic * index) / SAMPLE_RATE_HZ) / harmonic;
    return gain * sum;
  });
}

test('the pitch of low and high voices is exact, silence is unvoiced', () => {
  for (const hz of [75.3, 121.7, 230.4, 398.2]) {
    const pitch = recordedPitch(voice(hz));
    assert.equal(pitch.length, 120);
    const voiced = pitch.subarray(4, 76);
    assert.ok(
      voiced.every((value) => Math.abs(value / hz - 1) < 0.01),
      `${hz} Hz: ${Math.min(...voiced)} to ${Math.max(...voiced)}`,
    );
    assert.ok(pitch.subarray(85).every((value) => value === 0));
  }
});

test('an empty recording has no values', () => {
  assert.equal(recordedPitch(new Float32Array(0)).length, 0);
  assert.equal(recordedEnergy(new Float32Array(299)).length, 0);
});

test('energy is logarithmic, and limited in silence', () => {
  const [quiet, loud] = [recordedEnergy(voice(150, 0.05)), recordedEnergy(voice(150, 0.1))];
  assert.equal(loud.length, 120);
  for (let value = 5; value < 75; value++)
    assert.ok(Math.abs(loud[value]! - quiet[value]! - 0.913 * Math.log(4)) < 1e-4);
  assert.ok(Math.abs(loud[110]! - (0.913 * Math.log(1e-5) + 0.992)) < 1e-4);
});
