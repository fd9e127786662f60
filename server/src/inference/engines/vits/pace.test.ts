import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NEUTRAL_DELIVERY } from '../../../domain/engines/delivery.ts';
import { planTime, type SpokenTime } from './pace.ts';

const durations = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 200 });
const speeds = fc.double({ min: 0.5, max: 2, noNaN: true });

const total = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);
const heardOf = ({ heardFrames }: SpokenTime) => total(heardFrames);

test("at the voice's own pace all is spoken and heard as the model has it", () => {
  const tokenFrames = Int32Array.of(3, 1, 7);
  const time = planTime(tokenFrames, 1);
  assert.deepEqual(time.tokenFrames, tokenFrames);
  assert.deepEqual(time.heardFrames, Float64Array.from(tokenFrames));
  assert.ok(!time.isCompressed);
});

test('slow speech is spoken slowly; only fast speech is made of finished speech', () => {
  const tokenFrames = Int32Array.of(10, 20, 30);
  const slow = planTime(tokenFrames, 0.5);
  assert.deepEqual([...slow.tokenFrames], [20, 40, 60]);
  assert.ok(!slow.isCompressed);
  const fast = planTime(tokenFrames, 2);
  assert.ok(fast.isCompressed && total(fast.tokenFrames) > 45);
});

test('very fast speech is spoken more distinctly than slightly fast speech, and then made faster', () => {
  const tokenFrames = new Int32Array(20).fill(22);
  const spokenFor = (speed: number) => total(planTime(tokenFrames, speed).tokenFrames);
  assert.equal(spokenFor(1.25), spokenFor(1.1));
  assert.ok(spokenFor(1.4) > spokenFor(1.25) && spokenFor(2) > spokenFor(1));
  assert.equal(spokenFor(2), spokenFor(1.5));
});

test('what is hurried loses its long sounds before its short ones, and nothing is stretched', () => {
  fc.assert(
    fc.property(durations, fc.double({ min: 1.11, max: 2, noNaN: true }), (frames, speed) => {
      const { tokenFrames, heardFrames } = planTime(Int32Array.from(frames), speed);
      const kept = [...tokenFrames].map((spoken, token) => [spoken, heardFrames[token]! / spoken] as const);
      assert.ok(kept.every(([, share]) => share > 0 && share <= 1));
      const byLength = kept.sort(([a], [b]) => a - b).map(([, share]) => share);
      assert.ok(byLength.every((share, index) => index === 0 || share <= byLength[index - 1]! + 1e-9));
    }),
  );
});

test('an utterance takes its time divided by its speed', () => {
  fc.assert(
    fc.property(durations, speeds, (frames, speed) => {
      const heard = heardOf(planTime(Int32Array.from(frames), speed));
      assert.ok(Math.abs(heard - total(frames) / speed) <= 0.5);
    }),
  );
});

test('words that all have one pace take the time of an utterance with that pace', () => {
  fc.assert(
    fc.property(durations, speeds, (frames, rate) => {
      const tokenFrames = Int32Array.from(frames);
      const isGap = frames.map(() => false);
      const tokenWords = { word: new Int32Array(frames.length), isGap, isSpace: isGap };
      const deliveries = [{ ...NEUTRAL_DELIVERY, rate }];
      const acted = planTime(tokenFrames, 1, { deliveries, tokenWords });
      const plain = planTime(tokenFrames, rate);
      assert.deepEqual(acted.heardFrames, plain.heardFrames);
    }),
  );
});

test('the speech is heard in order and to its end, whatever the paces of the words', () => {
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
      const time = planTime(tokenFrames, 1, { deliveries, tokenWords });
      const heard = heardOf(time);
      const sources = Array.from({ length: Math.ceil(heard * 2) }, (_, half) => time.sourceOf(half / 2));
      assert.deepEqual(
        sources,
        [...sources].sort((a, b) => a - b),
      );
      assert.ok(Math.abs(time.sourceOf(heard) - total(time.tokenFrames)) < 1e-6);
      assert.equal(time.sourceOf(0), 0, 'earlier places can be asked for again');
    }),
  );
});
