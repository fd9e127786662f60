import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noise } from '../../../../test/support/audio/signals.ts';
import { measurePitch } from './pitch-statistics.ts';

const RATE_HZ = 8000;

/** A voice-like wave: twenty harmonics of decreasing level, with a variable pitch. */
function buzz(seconds: number, hzAt: (second: number) => number): Float32Array {
  let phase = 0;
  return Float32Array.from({ length: seconds * RATE_HZ }, (_, index) => {
    const hz = hzAt(index / RATE_HZ);
    phase += hz / RATE_HZ;
    let sample = 0;
    for (let harmonic = 1; harmonic <= 20 && harmonic * hz < RATE_HZ / 2; harmonic++) {
      sample += Math.sin(2 * Math.PI * harmonic * phase) / harmonic;
    }
    return 0.2 * sample;
  });
}

describe('pitch', () => {
  for (const hz of [70, 100, 147, 210, 330]) {
    test(`${hz} Hz is measured within 0.5 %`, () => {
      const { log2Hz, rangeOctaves } = measurePitch(buzz(1, () => hz));
      assert.ok(Math.abs(2 ** log2Hz / hz - 1) < 0.005, `${2 ** log2Hz} Hz`);
      assert.ok(rangeOctaves < 0.01);
    });
  }

  test('a glide over an octave has its median at half an octave and a range of a third of an octave', () => {
    const { log2Hz, rangeOctaves } = measurePitch(buzz(2, (second) => 100 * 2 ** (second / 2)));
    assert.ok(Math.abs(log2Hz - Math.log2(100 * Math.SQRT2)) < 0.03);
    assert.ok(Math.abs(rangeOctaves - 0.34) < 0.03, String(rangeOctaves));
  });

  test('pitch is measured with noise at half the level of the voice', () => {
    const voice = buzz(2, () => 210);
    const level = Math.sqrt(voice.reduce((sum, sample) => sum + sample ** 2, 0) / voice.length);
    // Uniform noise from -a to a has an RMS level of a / √3.
    const hiss = noise(voice.length, level * Math.sqrt(3 / 2));
    const { log2Hz } = measurePitch(voice.map((sample, index) => sample + hiss[index]!));
    assert.ok(Math.abs(2 ** log2Hz / 210 - 1) < 0.02, `${2 ** log2Hz} Hz`);
  });

  test('audio without pitch gets a default between male and female voices', () => {
    const { log2Hz } = measurePitch(new Float32Array(RATE_HZ));
    assert.ok(2 ** log2Hz > 130 && 2 ** log2Hz < 170);
  });
});
