import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NEUTRAL_DELIVERY } from '../acting/delivery.ts';
import { paceOf, planActedTime, planTime, stretchDurations } from './pace.ts';

test('a speed is reached by longer sounds or by fewer frames, never by both', () => {
  assert.deepEqual(paceOf(1), { stretch: 1, step: 1 });
  assert.deepEqual(paceOf(0.5), { stretch: 2, step: 1 });
  assert.deepEqual(paceOf(2), { stretch: 1, step: 2 });
});

test('stretched durations add up, and no sound gets shorter', () => {
  const durations = fc.array(fc.nat(40), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(durations, fc.double({ min: 1, max: 4, noNaN: true }), (frames, stretch) => {
      const stretched = stretchDurations(Int32Array.from(frames), stretch);
      const total = frames.reduce((sum, count) => sum + count, 0);
      assert.equal(
        stretched.reduce((sum, count) => sum + count, 0),
        Math.round(total * stretch),
      );
      assert.ok(stretched.every((count, index) => count >= frames[index]!));
    }),
  );
});

const durations = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 });
const rates = fc.double({ min: 0.5, max: 2, noNaN: true });

test('words that all have one pace take the time of an utterance with that pace', () => {
  fc.assert(
    fc.property(durations, rates, (frames, rate) => {
      const tokenFrames = Int32Array.from(frames);
      const tokenWords = { word: new Int32Array(frames.length), isGap: frames.map(() => false) };
      const deliveries = [{ ...NEUTRAL_DELIVERY, rate }];
      const acted = planActedTime(tokenFrames, 1, { deliveries, tokenWords });
      const plain = planTime(tokenFrames, rate);
      const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
      assert.ok(Math.abs(total(acted.heardFrames) - total(plain.heardFrames)) <= 1);
      const heard = Math.round(total(plain.heardFrames));
      for (let frame = 0; frame < heard; frame++) {
        assert.ok(Math.abs(acted.sourceOf(frame) - plain.sourceOf(frame)) <= 1);
      }
    }),
  );
});

test('frames are heard in order, whatever the paces of the words, and can be asked for again', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), rates), { minLength: 1 }), (tokens) => {
      const tokenFrames = Int32Array.from(tokens, ([frames]) => frames);
      const tokenWords = {
        word: Int32Array.from(tokens.keys()),
        isGap: tokens.map((_, index) => index % 3 === 0),
      };
      const deliveries = tokens.map(([, rate]) => ({ ...NEUTRAL_DELIVERY, rate, pauses: 1.5 }));
      const { heardFrames, sourceOf } = planActedTime(tokenFrames, 1, { deliveries, tokenWords });
      const heard = Math.round(heardFrames.reduce((sum, frames) => sum + frames, 0));
      const sources = Array.from({ length: heard }, (_, frame) => sourceOf(frame));
      assert.deepEqual(
        sources,
        [...sources].sort((a, b) => a - b),
      );
      if (heard > 0) assert.equal(sourceOf(0), sources[0]);
    }),
  );
});
