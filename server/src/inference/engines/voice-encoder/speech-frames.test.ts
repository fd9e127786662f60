import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cutMelWindows, longTermSpectrum, selectXVectorFrames } from './speech-frames.ts';

/** Mel energies of 40 bands: one row per level. */
function mel(levels: readonly number[], shape: (band: number) => number = () => 1): Float32Array {
  return Float32Array.from({ length: levels.length * 40 }, (_, index) => {
    return levels[Math.floor(index / 40)]! * shape(index % 40);
  });
}

const repeat = (level: number, count: number): number[] => new Array(count).fill(level);

describe('speech frames', () => {
  test('windows overlap by half and skip long pauses', () => {
    const levels = [...repeat(1, 160), ...repeat(0, 500), ...repeat(1, 160)];
    // 320 frames of speech, and 15 on either side of the pause.
    assert.equal(cutMelWindows(mel(levels)).count, 3);
    assert.equal(cutMelWindows(mel(repeat(1, 320))).count, 3);
  });

  test('speech shorter than a window is padded with silence', () => {
    const { values, count } = cutMelWindows(mel(repeat(1, 50)));
    assert.equal(count, 1);
    assert.equal(values.length, 160 * 40);
    assert.equal(values[49 * 40], 1);
    assert.equal(values[50 * 40], 0);
  });

  test('a long recording is limited to forty windows', () => {
    assert.equal(cutMelWindows(mel(repeat(1, 12_000))).count, 40);
  });

  test('the spectrum is independent of the level and ignores quiet frames', () => {
    const tilt = (band: number) => 10 ** (-band / 20);
    const loud = longTermSpectrum(mel(repeat(100, 50), tilt));
    const mixed = longTermSpectrum(mel([...repeat(3, 50), ...repeat(0.001, 200)], tilt));
    assert.ok(loud.every((value, band) => Math.abs(value - mixed[band]!) < 1e-4));
    assert.ok(Math.abs(loud.reduce((sum, value) => sum + value, 0)) < 1e-4);
    assert.ok(Math.abs(loud[0]! - loud[20]! - 1) < 1e-4);
  });

  test('cepstra are mean-normalised, and silent frames are removed', () => {
    const energyOf = (frame: number) => (frame < 100 ? 20 : 2);
    const cepstra = Float32Array.from({ length: 200 * 23 }, (_, index) => {
      return index % 23 === 0 ? energyOf(Math.floor(index / 23)) : 5;
    });
    const frames = selectXVectorFrames(cepstra);
    // The selection includes two frames after the last loud one.
    assert.equal(frames.length / 23, 102);
    assert.equal(frames[1], 0);
  });
});
