import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GaussianNoise } from '../../../audio/dsp/gaussian-noise.ts';
import { drawPrior, planWindows } from './synthesis.ts';

test('windows cover every frame once, start small and have a minimum length', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), (length) => {
      const windows = planWindows(length);
      let end = 0;
      for (const window of windows) {
        assert.equal(window.from, end);
        assert.ok(window.to > window.from);
        assert.ok(windows.length === 1 || window.to - window.from >= 16);
        end = window.to;
      }
      assert.equal(end, length);
      assert.ok(windows[0]!.to <= 48);
    }),
  );
});

test('the mean and deviation of a token are repeated over its frames', () => {
  const front = {
    tokenFrames: Int32Array.of(2, 0, 1),
    mean: { channels: 2, length: 3, values: Float32Array.of(1, 2, 3, 10, 20, 30) },
    logScale: { channels: 2, length: 3, values: new Float32Array(6) },
  };
  const mean = drawPrior(front, { noise: new GaussianNoise(1), noiseScale: 0 });
  assert.deepEqual(mean, { channels: 2, length: 3, values: Float32Array.of(1, 1, 3, 10, 10, 30) });

  const noisy = drawPrior(front, { noise: new GaussianNoise(1), noiseScale: 0.5 });
  const noise = new GaussianNoise(1);
  const expected = [1 + 0.5 * Math.fround(noise.next()), 10 + 0.5 * Math.fround(noise.next())];
  assert.deepEqual([noisy.values[0], noisy.values[3]], expected.map(Math.fround));
});
