import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NEUTRAL_DELIVERY } from '../../../domain/engines/delivery.ts';
import { type DurationPlan, planDurations } from './duration-plan.ts';

const durations = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 200 });
/** Tokens that are not yet at the minimum of one frame. */
const shortenableDurations = fc.array(fc.integer({ min: 2, max: 40 }), { minLength: 1, maxLength: 200 });
const speeds = fc.double({ min: 0.5, max: 2, noNaN: true });

const total = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);
const outputOf = ({ outputFrames }: DurationPlan) => total(outputFrames);

test('at speed 1 the durations of the model are unchanged', () => {
  const tokenFrames = Int32Array.of(3, 1, 7);
  const time = planDurations(tokenFrames, 1);
  assert.deepEqual(time.tokenFrames, tokenFrames);
  assert.deepEqual(time.outputFrames, Float64Array.from(tokenFrames));
  assert.ok(!time.isCompressed);
});

test('slow speech is synthesized slowly; only fast speech is compressed', () => {
  const tokenFrames = Int32Array.of(10, 20, 30);
  const slow = planDurations(tokenFrames, 0.5);
  assert.deepEqual([...slow.tokenFrames], [20, 40, 60]);
  assert.ok(!slow.isCompressed);
  const fast = planDurations(tokenFrames, 2);
  assert.ok(fast.isCompressed && total(fast.tokenFrames) > 45);
});

test('very fast speech is synthesized more slowly than slightly fast speech before compression', () => {
  const tokenFrames = new Int32Array(20).fill(22);
  const synthesizedFor = (speed: number) => total(planDurations(tokenFrames, speed).tokenFrames);
  assert.equal(synthesizedFor(1.25), synthesizedFor(1.1));
  assert.ok(synthesizedFor(1.4) > synthesizedFor(1.25) && synthesizedFor(2) > synthesizedFor(1));
  assert.equal(synthesizedFor(2), synthesizedFor(1.5));
});

test('compression shortens long tokens more than short ones and lengthens none', () => {
  fc.assert(
    fc.property(durations, fc.double({ min: 1.11, max: 2, noNaN: true }), (frames, speed) => {
      const { tokenFrames, outputFrames } = planDurations(Int32Array.from(frames), speed);
      const kept = [...tokenFrames].map((frames, token) => [frames, outputFrames[token]! / frames] as const);
      assert.ok(kept.every(([, share]) => share > 0 && share <= 1));
      const byLength = kept.sort(([a], [b]) => a - b).map(([, share]) => share);
      assert.ok(byLength.every((share, index) => index === 0 || share <= byLength[index - 1]! + 1e-9));
    }),
  );
});

test('the duration of an utterance is divided by its speed', () => {
  fc.assert(
    fc.property(shortenableDurations, speeds, (frames, speed) => {
      const output = outputOf(planDurations(Int32Array.from(frames), speed));
      // Rounding to whole frames; the margin is the rounding error of the sum.
      assert.ok(Math.abs(output - total(frames) / speed) <= 0.5 + 1e-9);
    }),
  );
});

test('a token of one frame keeps it at any speed that needs no compression', () => {
  const tokenFrames = new Int32Array(20).fill(1);
  assert.deepEqual(planDurations(tokenFrames, 1.1).tokenFrames, tokenFrames);
});

test('equal word rates have the effect of the same utterance speed', () => {
  fc.assert(
    fc.property(durations, speeds, (frames, rate) => {
      const tokenFrames = Int32Array.from(frames);
      const isGap = frames.map(() => false);
      const tokenWords = { word: new Int32Array(frames.length), isGap, isSpace: isGap };
      const deliveries = [{ ...NEUTRAL_DELIVERY, rate }];
      const acted = planDurations(tokenFrames, 1, { deliveries, tokenWords });
      const plain = planDurations(tokenFrames, rate);
      assert.deepEqual(acted.outputFrames, plain.outputFrames);
    }),
  );
});

test('the source map is monotonic and complete for any word rates', () => {
  const token = fc.tuple(fc.integer({ min: 1, max: 30 }), speeds);
  fc.assert(
    fc.property(fc.array(token, { minLength: 1 }), (tokens) => {
      const tokenFrames = Int32Array.from(tokens, ([frames]) => frames);
      const tokenWords = {
        word: Int32Array.from(tokens.keys()),
        isGap: tokens.map((_, index) => index % 3 === 0),
        isSpace: tokens.map((_, index) => index % 6 === 0),
      };
      const deliveries = tokens.map(([, rate]) => ({ ...NEUTRAL_DELIVERY, rate, pauses: 1.5 }));
      const time = planDurations(tokenFrames, 1, { deliveries, tokenWords });
      const output = outputOf(time);
      const sources = Array.from({ length: Math.ceil(output * 2) }, (_, half) => time.sourceOf(half / 2));
      assert.deepEqual(
        sources,
        [...sources].sort((a, b) => a - b),
      );
      assert.ok(Math.abs(time.sourceOf(output) - total(time.tokenFrames)) < 1e-6);
      assert.equal(time.sourceOf(0), 0, 'earlier positions can be queried again');
    }),
  );
});
