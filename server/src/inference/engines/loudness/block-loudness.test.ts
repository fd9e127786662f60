import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KWeighting } from '../../../audio/dsp/k-weighting.ts';
import { measureLoudness } from '../../../audio/dsp/loudness.ts';
import { blocksOfSteps, integratedLoudness } from './block-loudness.ts';

const RATE_HZ = 24_000;
const STEP = 300;

/** Bursts of a tone whose level and pauses vary. */
function bursts(seconds: number): Float32Array {
  return Float32Array.from({ length: seconds * RATE_HZ }, (_, at) => {
    const time = at / RATE_HZ;
    const level = time % 1 < 0.25 ? 0.001 : 0.1 + 0.2 * ((time * 0.37) % 1);
    return level * Math.sin(2 * Math.PI * 300 * time);
  });
}

function powersOf(samples: Float32Array): Float64Array {
  const weighting = new KWeighting(RATE_HZ);
  return Float64Array.from(
    { length: samples.length / STEP },
    (_, step) => weighting.addEnergy(samples, step * STEP, (step + 1) * STEP, 0) / STEP,
  );
}

describe('integratedLoudness', () => {
  test('agrees with the loudness meter', () => {
    for (const seconds of [0.5, 2, 7]) {
      const samples = bursts(seconds);
      const lufs = integratedLoudness(powersOf(samples), blocksOfSteps(STEP / RATE_HZ));
      assert.ok(Math.abs(lufs - measureLoudness(samples, RATE_HZ)) < 0.05, `${seconds} s: ${lufs} LUFS`);
    }
  });

  test('of the first steps only', () => {
    const powers = powersOf(bursts(3));
    const blocks = blocksOfSteps(STEP / RATE_HZ);
    assert.equal(integratedLoudness(powers, blocks, 80), integratedLoudness(powers.slice(0, 80), blocks));
  });

  test('speech shorter than a block is one block', () => {
    const blocks = blocksOfSteps(STEP / RATE_HZ);
    const lufs = integratedLoudness(Float64Array.of(0.01, 0.03), blocks);
    assert.ok(Math.abs(lufs - (-0.691 + 10 * Math.log10(0.02))) < 1e-9);
  });

  test('is minus infinity for silence and for nothing', () => {
    const blocks = blocksOfSteps(STEP / RATE_HZ);
    assert.equal(integratedLoudness(new Float64Array(100), blocks), Number.NEGATIVE_INFINITY);
    assert.equal(integratedLoudness(new Float64Array(0), blocks), Number.NEGATIVE_INFINITY);
  });
});
