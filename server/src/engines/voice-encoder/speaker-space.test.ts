import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { floatsFromHalves, SpeakerSpace } from './speaker-space.ts';

/** A mean, then axes that stand at right angles. */
const SPACE = new SpeakerSpace(Float32Array.of(1, 2, 0, 3, -0.5, 0), 2);

describe('the space of voices', () => {
  test('coordinates count steps along the axes from the mean voice', () => {
    assert.deepEqual([...SPACE.toVector(Float32Array.of(0, 0))], [1, 2]);
    assert.deepEqual([...SPACE.toVector(Float32Array.of(1, 2))], [0, 5]);
  });

  test('a vector has the coordinates it was made of', () => {
    const coordinates = Float32Array.of(-0.75, 4);
    assert.deepEqual([...SPACE.toCoordinates(SPACE.toVector(coordinates))], [...coordinates]);
  });

  test('a damaged file is refused', () => {
    assert.throws(() => new SpeakerSpace(new Float32Array(5), 2), /damaged/);
  });

  test('16-bit floats are widened exactly', () => {
    const bytes = new Uint8Array(Uint16Array.of(0x3c00, 0xc000, 0x3555, 0x0001, 0x0000).buffer);
    assert.deepEqual([...floatsFromHalves(bytes)], [1, -2, 0.333251953125, 2 ** -24, 0]);
  });
});
