import assert from 'node:assert/strict';
import { test } from 'node:test';
import { medianPitchHz, trackPitch } from './pitch-track.ts';

const RATE = 24000;

/** Harmonics with the levels of a vowel. */
function vowel(pitchHz: (seconds: number) => number, seconds: number): Float32Array {
  const samples = new Float32Array(seconds * RATE);
  let phase = 0;
  for (let index = 0; index < samples.length; index++) {
    phase += pitchHz(index / RATE) / RATE;
    if (phase >= 1) phase -= 1;
    for (const [harmonic, level] of [1, 0.8, 0.6, 0.7, 0.4, 0.2].entries()) {
      samples[index]! += 0.1 * level * Math.sin(2 * Math.PI * (harmonic + 1) * phase);
    }
  }
  return samples;
}

function noise(seconds: number): Float32Array {
  let state = 1;
  return new Float32Array(seconds * RATE).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 0.2 * (state / 2 ** 31 - 1);
  });
}

const voiced = (values: Float32Array) => [...values].filter((hz) => hz > 0);

for (const hz of [70, 110, 195, 330, 440]) {
  test(`a voice at ${hz} Hz has that F0, without octave errors`, () => {
    const { pitchHz } = trackPitch(
      vowel(() => hz, 0.5),
      RATE,
    );
    assert.ok(voiced(pitchHz).length > 0.85 * pitchHz.length);
    for (const value of voiced(pitchHz)) assert.ok(Math.abs(12 * Math.log2(value / hz)) < 0.5, `${value} Hz`);
  });
}

test('a glide is tracked', () => {
  const at = (seconds: number) => 120 * 2 ** (seconds / 1.5);
  const { pitchHz, hopSeconds } = trackPitch(vowel(at, 1.5), RATE);
  for (let hop = 10; hop < pitchHz.length - 10; hop++) {
    const truth = at((hop + 0.5) * hopSeconds);
    assert.ok(Math.abs(12 * Math.log2(pitchHz[hop]! / truth)) < 0.5);
  }
});

test('noise and silence are unvoiced', () => {
  const { pitchHz } = trackPitch(noise(1), RATE);
  assert.ok(voiced(pitchHz).length < 0.03 * pitchHz.length);
  assert.deepEqual(voiced(trackPitch(new Float32Array(RATE), RATE).pitchHz), []);
  assert.equal(trackPitch(new Float32Array(10), RATE).pitchHz.length, 0);
});

test('voiced hops are at the position of the voice', () => {
  const samples = new Float32Array(1.5 * RATE);
  samples.set(
    vowel(() => 150, 0.5),
    0.5 * RATE,
  );
  const { pitchHz } = trackPitch(samples, RATE);
  const hops = [...pitchHz.keys()].filter((hop) => pitchHz[hop]! > 0);
  assert.ok(hops[0]! >= 46 && hops.at(-1)! <= 104 && hops.length > 45, `${hops[0]} to ${hops.at(-1)}`);
});

test('the median F0 ignores noise, and there is none without a voice', () => {
  const samples = new Float32Array(RATE);
  samples.set(noise(0.5));
  samples.set(
    vowel(() => 200, 0.5),
    RATE / 2,
  );
  assert.ok(Math.abs(medianPitchHz(samples, RATE)! - 200) < 5);
  assert.equal(medianPitchHz(new Float32Array(RATE), RATE), undefined);
});
