import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trackPitch } from '../../../audio/dsp/pitch-track.ts';
import { type Delivery, NEUTRAL_DELIVERY } from '../../../domain/engines/delivery.ts';
import type { AudioStage } from './audio-stage.ts';
import { createDeliveryStages } from './delivery-stages.ts';
import { createDeliveryTracks } from './delivery-tracks.ts';
import { medianPitchHz } from './pitch-contour.ts';
import { PitchShifter } from './pitch-shifter.ts';

const RATE = 22050;
const SAMPLES_PER_STEP = 256;
const STEPS = 100;

/** A voice at 150 Hz with formants and 0.2 s of noise in the middle. */
function speech(): Float32Array {
  const samples = new Float32Array(STEPS * SAMPLES_PER_STEP);
  let state = 1;
  let [a1, a2, b1, b2] = [0, 0, 0, 0];
  for (let index = 0; index < samples.length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const isNoise = index > 0.45 * RATE && index < 0.65 * RATE;
    const source = isNoise ? 0.1 * (state / 2 ** 31 - 1) : index % Math.round(RATE / 150) === 0 ? 1 : 0;
    // Two resonances, at 600 and 1700 Hz.
    [a2, a1] = [a1, source + 2 * 0.97 * Math.cos((2 * Math.PI * 600) / RATE) * a1 - 0.97 ** 2 * a2];
    [b2, b1] = [b1, a1 + 2 * 0.95 * Math.cos((2 * Math.PI * 1700) / RATE) * b1 - 0.95 ** 2 * b2];
    samples[index] = 0.01 * b1;
  }
  return samples;
}

function run(stages: readonly AudioStage[], samples: Float32Array, partLength: number): Float32Array {
  let current = samples;
  for (const stage of stages) {
    const out: number[] = [];
    for (let from = 0; from < current.length; from += partLength) {
      out.push(...stage.push(current.slice(from, from + partLength)));
    }
    out.push(...stage.flush());
    current = Float32Array.from(out);
  }
  return current;
}

function act(changes: Partial<Delivery>, partLength = 3000): Float32Array {
  const delivery = { ...NEUTRAL_DELIVERY, ...changes };
  const tracks = createDeliveryTracks([{ delivery, steps: STEPS }], RATE / SAMPLES_PER_STEP);
  const clock = { sampleRateHz: RATE, samplesPerStep: SAMPLES_PER_STEP };
  return run(createDeliveryStages(tracks, clock, { seed: 5, medianHz: 150 }), speech(), partLength);
}

const pitchOf = (samples: Float32Array) => medianPitchHz(trackPitch(samples, RATE).pitchHz, 0) ?? 0;
const energyOf = (samples: Float32Array) => samples.reduce((sum, sample) => sum + sample * sample, 0);

for (const semitones of [-5, -2, 2, 5]) {
  test(`a shift by ${semitones} semitones keeps length and level`, () => {
    const shifted = act({ pitchSemitones: semitones });
    assert.equal(shifted.length, speech().length);
    const measured = 12 * Math.log2(pitchOf(shifted) / 150);
    assert.ok(Math.abs(measured - semitones) < 0.4, `${measured} semitones`);
    const gainDb = 10 * Math.log10(energyOf(shifted) / energyOf(speech()));
    assert.ok(Math.abs(gainDb) < 3, `${gainDb} dB`);
  });
}

test('a pitch shift leaves unvoiced speech unchanged', () => {
  const [from, to] = [Math.round(0.5 * RATE), Math.round(0.6 * RATE)];
  const [before, after] = [speech().slice(from, to), act({ pitchSemitones: 4 }).slice(from, to)];
  for (const [index, sample] of before.entries()) assert.ok(Math.abs(sample - after[index]!) < 1e-6);
});

test('a factor of 1 reproduces the samples', () => {
  const samples = speech();
  const shifter = new PitchShifter({ sampleRateHz: RATE, length: samples.length, factorAt: () => 1 });
  const same = run([shifter], samples, 2048);
  const error = same.map((sample, index) => sample - samples[index]!);
  assert.ok(energyOf(error) < 0.02 * energyOf(samples), `${energyOf(error) / energyOf(samples)}`);
});

test('a whisper is unvoiced', () => {
  const { pitchHz } = trackPitch(act({ breath: 1 }), RATE);
  assert.ok(pitchHz.filter((hz) => hz > 0).length < 0.06 * pitchHz.length);
});

test('the output has the length of the input for any chunk size', () => {
  const changes = { pitchSemitones: 3, pitchRange: 1.3, breath: 0.4, effort: 0.5 };
  for (const partLength of [64, 5000, 1e6]) assert.equal(act(changes, partLength).length, speech().length);
});
