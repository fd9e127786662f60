import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SpeakerSpace } from './speaker-space.ts';

const SPEAKERS = [
  [4, 1, 0],
  [1, 3, 2],
  [-2, 0, 1],
  [3, -1, 5],
  [0, 2, -2],
].map((values) => Float32Array.from(values));
const SPACE = new SpeakerSpace(SPEAKERS);

describe('speaker space', () => {
  test('the mean vector has zero coordinates', () => {
    const mean = SPACE.toVector(Float32Array.of(0, 0, 0));
    assert.deepEqual([...mean], [1.2, 1, 1.2].map(Math.fround));
  });

  test('the coordinates of the speakers have unit variance and no correlation', () => {
    const coordinates = SPEAKERS.map((speaker) => SPACE.toCoordinates(speaker));
    for (const a of [0, 1, 2]) {
      for (const b of [0, 1, 2]) {
        const sum = coordinates.reduce((total, row) => total + row[a]! * row[b]!, 0);
        const expected = a === b ? 1 : 0;
        assert.ok(Math.abs(sum / (SPEAKERS.length - 1) - expected) < 1e-6, `${a} and ${b}: ${sum}`);
      }
    }
  });

  test('coordinates survive a round trip through a vector', () => {
    const coordinates = Float32Array.of(-0.75, 4, 0.5);
    const again = SPACE.toCoordinates(SPACE.toVector(coordinates));
    coordinates.forEach((coordinate, index) => {
      assert.ok(Math.abs(again[index]! - coordinate) < 1e-5, `${again[index]}`);
    });
  });

  test('speakers in one plane are rejected', () => {
    const flat = SPEAKERS.map(([x, y]) => Float32Array.of(x!, y!, 0));
    assert.throws(() => new SpeakerSpace(flat), /do not span/);
  });
});
