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
import { createDeliveryTracks } from './delivery-tracks.ts';
import { LevelStage } from './level-stage.ts';
import { contourFactor, contourFactors, medianPitchHz } from './pitch-contour.ts';

const STEPS_PER_SECOND = 80;
const delivery = (changes: Partial<Delivery>): Delivery => ({ ...NEUTRAL_DELIVERY, ...changes });
const tracksOf = (changes: Partial<Delivery>, steps: number) =>
  createDeliveryTracks([{ delivery: delivery(changes), steps }], STEPS_PER_SECOND);

test('combining deliveries adds offsets, multiplies factors and clamps to the engine limits', () => {
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

test('no deliveries, or deliveries of intensity 0, are neutral', () => {
  assert.ok(isNeutral(combineDeliveries([])));
  assert.ok(isNeutral(combineDeliveries([intensify({ pitchSemitones: 3, pitchRange: 2, rate: 0.8 }, 0)])));
});

test('a pitch contour is shifted by the given semitones and scaled around its median', () => {
  const pitchHz = Float32Array.of(0, 100, 200, 400, 0, 0);
  const medianHz = medianPitchHz(pitchHz, 40)!;
  assert.equal(medianHz, 200);
  const options = { voicedAboveHz: 40, medianHz };
  const shifted = contourFactors(pitchHz, tracksOf({ pitchSemitones: 12 / 12 }, 6), options);
  for (const factor of shifted) assert.ok(Math.abs(factor - 2 ** (1 / 12)) < 1e-6);
  const flat = contourFactors(pitchHz, tracksOf({ pitchRange: 0.5 }, 6), options);
  assert.ok(flat[1]! > 1 && Math.abs(flat[2]! - 1) < 1e-6 && flat[3]! < 1);
  assert.equal(flat[0], flat[1], 'an unvoiced value repeats its neighbour');
});

test('lively speech widens the middle of the pitch range more than its peaks', () => {
  const pitchHz = Float32Array.from([-12, -3, 0, 3, 8, 14], (semitones) => 200 * 2 ** (semitones / 12));
  const options = { voicedAboveHz: 40, medianHz: 200 };
  const factors = contourFactors(pitchHz, tracksOf({ pitchSemitones: 3, pitchRange: 1.5 }, 6), options);
  const shifts = [...factors].map((factor) => 12 * Math.log2(factor));
  // A glide at -12 and a peak at +8 are widened as far as a deviation of 4; the peak is then lowered by half of its excess.
  const expected = [1, 1.5, 3, 4.5, 2.5, 0];
  for (const [index, shift] of shifts.entries()) {
    assert.ok(Math.abs(shift - expected[index]!) < 1e-4, `${shift} instead of ${expected[index]}`);
  }
});

test('a pitch rises with the offset and the range of its delivery without a jump', () => {
  const change = fc.record({
    pitch: fc.double({ min: 60, max: 480, noNaN: true }),
    offset: fc.double({ min: -6, max: 8, noNaN: true }),
    range: fc.double({ min: 0.5, max: 2, noNaN: true }),
  });
  fc.assert(
    fc.property(change, ({ pitch, offset, range }) => {
      const shift = (by: { readonly offset: number; readonly range: number }) =>
        12 * Math.log2(contourFactor(pitch, 150, by));
      const here = shift({ offset, range });
      const near = shift({ offset: offset + 0.01, range: range + 0.001 });
      return Math.abs(near - here) < 0.1;
    }),
  );
});

test('a neutral delivery leaves every pitch unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.float({ min: 0, max: 480, noNaN: true }), { minLength: 1 }), (pitches) => {
      const options = { voicedAboveHz: 40, medianHz: 150 };
      const factors = contourFactors(Float32Array.from(pitches), tracksOf({}, pitches.length), options);
      return factors.every((factor) => factor === 1);
    }),
  );
});

test('the transition between two deliveries is smooth', () => {
  const spans = [
    { delivery: delivery({}), steps: 80 },
    { delivery: delivery({ pitchSemitones: 4 }), steps: 80 },
  ];
  const { offset } = createDeliveryTracks(spans, STEPS_PER_SECOND);
  assert.equal(offset[0], 0);
  assert.equal(offset.at(-1), 4);
  for (let step = 1; step < offset.length; step++) {
    const rise = offset[step]! - offset[step - 1]!;
    assert.ok(rise >= 0 && rise < 1);
  }
});

test('a slope is centred on its span', () => {
  const { offset } = tracksOf({ pitchSlopeSemitones: 2 }, 100);
  assert.ok(Math.abs(offset[0]! + 1) < 0.05 && Math.abs(offset.at(-1)! - 1) < 0.05);
});

test('effort raises the high band, softness lowers it, and level changes both bands equally', () => {
  const tone = (hz: number) =>
    Float32Array.from({ length: 24000 }, (_, i) => 0.1 * Math.sin((2 * Math.PI * hz * i) / 24000));
  const gainDb = (hz: number, changes: Partial<Delivery>) => {
    const samples = tone(hz);
    const clock = { sampleRateHz: 24000, samplesPerStep: 300 };
    new LevelStage(tracksOf(changes, 80), clock).push(samples);
    return 20 * Math.log10(Math.max(...samples.subarray(12000)) / 0.1);
  };
  assert.ok(Math.abs(gainDb(200, { levelDb: 6 }) - 6) < 0.1);
  assert.ok(Math.abs(gainDb(5000, { levelDb: 6 }) - 6) < 0.1);
  assert.ok(gainDb(5000, { effort: 1 }) > 4 && gainDb(200, { effort: 1 }) < 0.5);
  assert.ok(gainDb(5000, { effort: -1 }) < -4 && gainDb(200, { effort: -1 }) > -0.5);
});

test('the level stage does not depend on how the samples are split', () => {
  const samples = Float32Array.from({ length: 24000 }, (_, index) => Math.sin(index / 7));
  const tracks = tracksOf({ levelDb: 3, effort: 0.5 }, 80);
  const clock = { sampleRateHz: 24000, samplesPerStep: 300 };
  const whole = samples.slice();
  new LevelStage(tracks, clock).push(whole);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 23999 }), (cut) => {
      const stage = new LevelStage(tracks, clock);
      const parts = [samples.slice(0, cut), samples.slice(cut)];
      stage.push(parts[0]!);
      stage.push(parts[1]!);
      assert.deepEqual(parts[0], whole.slice(0, cut));
      assert.deepEqual(parts[1], whole.slice(cut));
    }),
    { numRuns: 30 },
  );
});
