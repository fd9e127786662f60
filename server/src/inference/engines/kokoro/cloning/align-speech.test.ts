import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GaussianNoise } from '../../../../audio/dsp/gaussian-noise.ts';
import { SAMPLE_RATE_HZ } from '../networks/features.ts';
import { ALIGNED_HOP, alignSpeech } from './align-speech.ts';

/** Resonances of artificial sounds, in Hz. */
const SOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  a: [750, 1200],
  e: [450, 2100],
  i: [280, 2500],
  o: [450, 800],
  s: [4500, 6500],
  u: [300, 700],
};

/** Sounds of equal duration: pulses at 100 Hz whose harmonics are strong near the resonances. */
function speakSounds(sounds: string, secondsEach: number): Float32Array {
  const size = Math.round(secondsEach * SAMPLE_RATE_HZ);
  const samples = new Float32Array(sounds.length * size);
  new GaussianNoise(1).fill(samples);
  for (const [index, sound] of [...sounds].entries()) {
    const resonances = SOUNDS[sound]!;
    for (let hz = 100; hz < 8000; hz += 100) {
      const weight = resonances.reduce((sum, at) => sum + 1 / (1 + ((hz - at) / 150) ** 2), 0);
      for (let at = index * size; at < (index + 1) * size; at++)
        samples[at]! += 100 * weight * Math.sin((2 * Math.PI * hz * at) / SAMPLE_RATE_HZ);
    }
  }
  return samples.map((value) => value / 4000);
}

function withNoise(samples: Float32Array, snrDb: number): Float32Array {
  const noise = new Float32Array(samples.length);
  new GaussianNoise(2).fill(noise);
  const rms = Math.sqrt(samples.reduce((sum, value) => sum + value ** 2, 0) / samples.length);
  return samples.map((value, index) => value + rms * 10 ** (-snrDb / 20) * noise[index]!);
}

const TEXT = 'aesiouaisueo';

test('the path follows the sounds at another speed', () => {
  const alignment = alignSpeech(speakSounds(TEXT, 0.12), speakSounds(TEXT, 0.15));
  assert.ok(alignment);
  const { path } = alignment;
  for (let row = 0; row < path.length; row++) {
    const sound = (row * ALIGNED_HOP) / SAMPLE_RATE_HZ / 0.12;
    const other = (path[row]! * ALIGNED_HOP) / SAMPLE_RATE_HZ / 0.15;
    assert.ok(Math.abs(sound - other) < 0.35, `row ${row}: ${sound} and ${other}`);
  }
});

test('sounds of another text match no better than the same sounds backwards, also in noise', () => {
  for (const snrDb of [60, 12]) {
    const recorded = withNoise(speakSounds(TEXT, 0.12), snrDb);
    const own = alignSpeech(recorded, speakSounds(TEXT, 0.15))!.mismatch;
    const other = alignSpeech(recorded, speakSounds('ueasoieasuoi', 0.15))!.mismatch;
    assert.ok(own < 0.75, `${snrDb} dB, own text: ${own}`);
    assert.ok(other > 0.9, `${snrDb} dB, other text: ${other}`);
  }
});

test('one sustained sound is no evidence for a text', () => {
  const { mismatch } = alignSpeech(speakSounds('aaaaaaaa', 0.12), speakSounds(TEXT, 0.1))!;
  assert.ok(mismatch > 0.9 && mismatch < 1.1, String(mismatch));
});

test('speech that is too long to reach its end, and no speech, cannot be aligned', () => {
  assert.equal(alignSpeech(speakSounds('ae', 0.2), speakSounds(TEXT + TEXT, 0.2)), undefined);
  assert.equal(alignSpeech(new Float32Array(0), speakSounds('ae', 0.2)), undefined);
});

test('silence is aligned without invalid numbers', () => {
  const alignment = alignSpeech(new Float32Array(24_000), new Float32Array(24_000));
  assert.ok(alignment?.path.every((row) => row >= 0 && row < 80));
  assert.equal(alignment?.mismatch, 1);
});
