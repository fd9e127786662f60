import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from '../networks/features.ts';
import { recordedParts } from './recorded-parts.ts';

const FRAMES = 120;

/** Two sounds in turn, voiced and noisy, first of short and then of long duration. */
function speech(frames: number): Float32Array {
  return Float32Array.from({ length: frames * SAMPLES_PER_FRAME }, (_, index) => {
    const isVoiced = Math.floor(Math.sqrt(index / SAMPLES_PER_FRAME)) % 2 === 0;
    if (!isVoiced) return 0.02 * Math.sin(index * index * 0.7);
    let sum = 0;
    for (let harmonic = 1; harmonic <= 20; harmonic++)
      sum += Math.sin((2 * Math.PI * 120 * harmonic * index) / SAMPLE_RATE_HZ) / harmonic;
    return 0.08 * sum;
  });
}

/** Synthetic speech with a token for each frame. */
function synthetic(frames: number) {
  const frameTokens = Int32Array.from({ length: frames }, (_, frame) => frame);
  const contour = new Float32Array(2 * frames);
  const features = { frames, text: new Float32Array(0), frameTokens, f0: contour, energy: contour };
  return { samples: speech(frames), features };
}

test('parts cover the recording, with its pitch and aligned text features', () => {
  const parts = recordedParts(speech(300), synthetic(300), { frames: FRAMES, rms: 0.06 });
  assert.equal(parts.length, 4);
  for (const [index, { features, samples }] of parts.entries()) {
    const from = 60 * index;
    assert.equal(samples.length, FRAMES * SAMPLES_PER_FRAME);
    assert.equal(features.f0.length, 2 * FRAMES);
    for (let frame = 0; frame < FRAMES; frame++) {
      const token = features.frameTokens[frame]!;
      assert.ok(Math.abs(token - (from + frame)) < 4, `part ${index}, frame ${frame}`);
    }
    const unvoiced = features.f0.filter((hz) => hz === 1);
    assert.ok(unvoiced.length > 60 && unvoiced.length < 180, 'noise is unvoiced, but not whispered');
    assert.ok(features.f0.every((hz) => hz > 0));
  }
});

test('a recording that is too short, or of another text, has no parts', () => {
  const options = { frames: FRAMES, rms: 0.06 };
  assert.deepEqual(recordedParts(speech(119), synthetic(119), options), []);
  assert.deepEqual(recordedParts(speech(120), synthetic(700), options), []);
});
