import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packSamples, unpackSamples } from './packed-samples.ts';

test('packed samples differ by at most half a step, whatever their level', () => {
  for (const level of [1e-6, 0.01, 1, 3]) {
    const samples = Float32Array.from({ length: 1000 }, (_, index) => level * Math.sin(index * index));
    const packed = packSamples(samples);
    const unpacked = unpackSamples(packed);
    assert.equal(packed.values.byteLength, 2 * samples.length);
    for (const [index, sample] of samples.entries()) {
      assert.ok(Math.abs(unpacked[index]! - sample) <= 0.5001 * packed.scale + 1e-7 * level);
    }
    assert.ok(packed.scale <= level / 32_000);
  }
});

test('the largest samples of both signs keep their values', () => {
  assert.deepEqual([...unpackSamples(packSamples(Float32Array.of(0.5, -0.5, 0)))], [0.5, -0.5, 0]);
});

test('silence and an empty window are exact', () => {
  assert.deepEqual([...unpackSamples(packSamples(new Float32Array(3)))], [0, 0, 0]);
  assert.equal(unpackSamples(packSamples(new Float32Array(0))).length, 0);
});

test('samples that are not finite become 0 and do not change the others', () => {
  const samples = Float32Array.of(Number.NaN, 0.25, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
  assert.deepEqual([...unpackSamples(packSamples(samples))], [0, 0.25, 0, 0]);
});
