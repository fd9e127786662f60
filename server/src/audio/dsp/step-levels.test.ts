import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GaussianNoise } from './gaussian-noise.ts';
import { KWeighting } from './k-weighting.ts';
import { StepMeter } from './step-levels.ts';

const RATE_HZ = 24_000;

/** Harmonics of a glide from 90 to 250 Hz with syllables, and noise between them. */
function speechLike(count: number): Float32Array {
  const noise = new GaussianNoise(1);
  let phase = 0;
  return Float32Array.from({ length: count }, (_, at) => {
    const seconds = at / RATE_HZ;
    phase += (2 * Math.PI * (90 + 160 * ((seconds / 3) % 1))) / RATE_HZ;
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 4 * seconds));
    const voiced = [1, 2, 3, 5, 8].reduce((sum, harmonic) => sum + Math.sin(harmonic * phase) / harmonic, 0);
    return 0.1 * syllable * voiced + 0.01 * noise.next();
  });
}

function measure(samples: Float32Array, samplesPerStep: number) {
  const count = Math.floor(samples.length / samplesPerStep);
  const levels = { powers: new Float64Array(count + 1), peaks: new Float64Array(count + 1) };
  new StepMeter(RATE_HZ, samplesPerStep).measure(samples, count, levels, 1);
  return { count, powers: levels.powers.subarray(1), peaks: levels.peaks.subarray(1) };
}

describe('StepMeter', () => {
  test('the power of speech agrees with K-weighting', () => {
    for (const [seconds, samplesPerStep] of [
      [0.5, 600],
      [7, 600],
      [7, 256],
    ] as const) {
      const samples = speechLike(seconds * RATE_HZ);
      const { count, powers } = measure(samples, samplesPerStep);
      const weighting = new KWeighting(RATE_HZ);
      const energy = weighting.addEnergy(samples, 0, count * samplesPerStep, 0);
      const ratio = (powers.reduce((sum, power) => sum + power, 0) * samplesPerStep) / energy;
      assert.ok(Math.abs(10 * Math.log10(ratio)) < 0.05, `${seconds} s: ${10 * Math.log10(ratio)} dB`);
    }
  });

  test('the peak of a step is that of its samples, in any number of steps', () => {
    const samples = speechLike(4 * RATE_HZ);
    for (const count of [0, 1, 3, 4, 5, 159]) {
      const { peaks } = measure(samples.subarray(0, 600 * count), 600);
      const expected = Array.from({ length: count }, (_, step) =>
        samples
          .subarray(600 * step, 600 * (step + 1))
          .reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0),
      );
      assert.deepEqual([...peaks], expected);
    }
  });
});
