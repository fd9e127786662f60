import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  combineDeliveries,
  type Delivery,
  intensify,
  isNeutral,
  NEUTRAL_DELIVERY,
} from '../../../domain/engines/delivery.ts';
import { medianPitchHz, melodyFactors } from './pitch-contour.ts';
import { trackDeliveries } from './tracks.ts';
import { VoiceFinish } from './voice-finish.ts';

const STEPS_PER_SECOND = 80;
const delivery = (changes: Partial<Delivery>): Delivery => ({ ...NEUTRAL_DELIVERY, ...changes });
const tracksOf = (changes: Partial<Delivery>, steps: number) =>
  trackDeliveries([{ delivery: delivery(changes), steps }], STEPS_PER_SECOND);

test('deliveries add up, factors multiply, and the sum stays within what an engine bears', () => {
  const together = combineDeliveries([
    { pitchSemitones: 2, rate: 1.2 },
    { pitchSemitones: -1, rate: 0.5 },
  ]);
  assert.equal(together.pitchSemitones, 1);
  assert.ok(Math.abs(together.rate - 0.6) < 1e-9);
  const extreme = combineDeliveries(
    Array.from({ length: 20 }, () => ({ pitchSemitones: 5, breath: 0.5, rate: 2 })),
  );
  assert.deepEqual([extreme.pitchSemitones, extreme.breath, extreme.rate], [8, 1, 2]);
});

test('nothing is neutral, and no intensity leaves nothing', () => {
  assert.ok(isNeutral(combineDeliveries([])));
  assert.ok(isNeutral(combineDeliveries([intensify({ pitchSemitones: 3, pitchRange: 2, rate: 0.8 }, 0)])));
});

test('a melody is moved by the semitones it is told, and stretched around its middle', () => {
  const pitchHz = Float32Array.of(0, 100, 200, 400, 0, 0);
  const middleHz = medianPitchHz(pitchHz, 40)!;
  assert.equal(middleHz, 200);
  const options = { voicedAboveHz: 40, middleHz };
  const moved = melodyFactors(pitchHz, tracksOf({ pitchSemitones: 12 / 12 }, 6), options);
  for (const factor of moved) assert.ok(Math.abs(factor - 2 ** (1 / 12)) < 1e-6);
  const flat = melodyFactors(pitchHz, tracksOf({ pitchRange: 0.5 }, 6), options);
  assert.ok(flat[1]! > 1 && Math.abs(flat[2]! - 1) < 1e-6 && flat[3]! < 1);
  assert.equal(flat[0], flat[1], 'what is not voiced takes its neighbour');
});

test('a neutral delivery leaves every pitch as it is', () => {
  fc.assert(
    fc.property(fc.array(fc.float({ min: 0, max: 480, noNaN: true }), { minLength: 1 }), (pitches) => {
      const options = { voicedAboveHz: 40, middleHz: 150 };
      const factors = melodyFactors(Float32Array.from(pitches), tracksOf({}, pitches.length), options);
      return factors.every((factor) => factor === 1);
    }),
  );
});

test('one way of speaking slides into the next', () => {
  const spans = [
    { delivery: delivery({}), steps: 80 },
    { delivery: delivery({ pitchSemitones: 4 }), steps: 80 },
  ];
  const { offset } = trackDeliveries(spans, STEPS_PER_SECOND);
  assert.equal(offset[0], 0);
  assert.equal(offset.at(-1), 4);
  for (let step = 1; step < offset.length; step++) {
    const rise = offset[step]! - offset[step - 1]!;
    assert.ok(rise >= 0 && rise < 1);
  }
});

test('a slope climbs around the middle of its stretch', () => {
  const { offset } = tracksOf({ pitchSlopeSemitones: 2 }, 100);
  assert.ok(Math.abs(offset[0]! + 1) < 0.05 && Math.abs(offset.at(-1)! - 1) < 0.05);
});

test('effort brightens a voice and softness dulls it; level moves both ends alike', () => {
  const tone = (hz: number) =>
    Float32Array.from({ length: 24000 }, (_, i) => 0.1 * Math.sin((2 * Math.PI * hz * i) / 24000));
  const gainDb = (hz: number, changes: Partial<Delivery>) => {
    const samples = tone(hz);
    const clock = { sampleRateHz: 24000, samplesPerStep: 300 };
    new VoiceFinish(tracksOf(changes, 80), clock).push(samples);
    return 20 * Math.log10(Math.max(...samples.subarray(12000)) / 0.1);
  };
  assert.ok(Math.abs(gainDb(200, { levelDb: 6 }) - 6) < 0.1);
  assert.ok(Math.abs(gainDb(5000, { levelDb: 6 }) - 6) < 0.1);
  assert.ok(gainDb(5000, { effort: 1 }) > 4 && gainDb(200, { effort: 1 }) < 0.5);
  assert.ok(gainDb(5000, { effort: -1 }) < -4 && gainDb(200, { effort: -1 }) > -0.5);
});

test('finishing does not depend on how the samples are cut', () => {
  const samples = Float32Array.from({ length: 24000 }, (_, index) => Math.sin(index / 7));
  const tracks = tracksOf({ levelDb: 3, effort: 0.5 }, 80);
  const clock = { sampleRateHz: 24000, samplesPerStep: 300 };
  const whole = samples.slice();
  new VoiceFinish(tracks, clock).push(whole);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 23999 }), (cut) => {
      const finish = new VoiceFinish(tracks, clock);
      const parts = [samples.slice(0, cut), samples.slice(cut)];
      finish.push(parts[0]!);
      finish.push(parts[1]!);
      assert.deepEqual(parts[0], whole.slice(0, cut));
      assert.deepEqual(parts[1], whole.slice(cut));
    }),
    { numRuns: 30 },
  );
});
