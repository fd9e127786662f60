import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NEUTRAL_DELIVERY } from '../../../domain/engines/delivery.ts';
import { type Splice, spliceInto, spliceTimes } from './splice.ts';
import {
  createDeliverySpans,
  frameBeforeWord,
  mapTokensToWords,
  pauseFactor,
  scaleTokenFrames,
} from './token-words.ts';

async function* cut(samples: Float32Array, lengths: readonly number[]): AsyncGenerator<Float32Array> {
  let from = 0;
  for (const length of lengths) {
    yield samples.slice(from, from + length);
    from += length;
  }
  yield samples.slice(from);
}

async function collect(parts: AsyncIterable<Float32Array>): Promise<number[]> {
  const all: number[] = [];
  for await (const part of parts) all.push(...part);
  return all;
}

const silence = (at: number, length: number): Splice => ({
  at,
  length,
  render: () => new Float32Array(length).fill(9),
});

test('an insertion is at its position, and the speech around it is faded', async () => {
  const speech = new Float32Array(3000).fill(1);
  const output = await collect(
    spliceInto(cut(speech, [700, 1, 900]), [silence(1000, 50), silence(Infinity, 7)]),
  );
  assert.equal(output.length, 3057);
  assert.deepEqual(output.slice(1000, 1050), new Array(50).fill(9));
  assert.deepEqual(output.slice(-7), new Array(7).fill(9));
  assert.ok(output[999]! < 0.01 && output[1050]! < 0.01 && output[500] === 1 && output[2000] === 1);
});

test('speech is cut where it is quiet within the gap, not at its centre', async () => {
  // The next word begins before the centre of the gap.
  const speech = new Float32Array(6000).fill(0.5);
  speech.fill(0, 1400, 2100);
  const gap = { from: 1000, to: 4000 };
  const output = await collect(spliceInto(cut(speech, [900, 300, 2500]), [{ ...silence(2500, 50), gap }]));
  const at = output.indexOf(9);
  assert.ok(at >= 1400 && at <= 2100, `cut at ${at}`);
  assert.ok(output.slice(1400, at).every((sample) => sample === 0));
  assert.equal(output.length, 6050);
});

test('the longest quiet stretch of a gap is cut, not the quietest place', async () => {
  // A pause of -60 dB, then the first sound of the next word, then the silent closure of a plosive.
  const speech = new Float32Array(8000).fill(0.5);
  speech.fill(0.001, 2000, 2800);
  speech.fill(0, 3500, 4100);
  const gap = { from: 1000, to: 4200 };
  const output = await collect(spliceInto(cut(speech, [900, 300, 2500]), [{ ...silence(3600, 50), gap }]));
  const at = output.indexOf(9);
  assert.ok(at >= 2000 && at <= 2800, `cut at ${at}`);
});

test('the result does not depend on how the speech is split', async () => {
  const speech = Float32Array.from({ length: 2000 }, (_, index) => Math.sin(index));
  const gap = { from: 1000, to: 1700 };
  const splices = [
    ...[silence(0, 10), silence(600, 20), silence(600, 5)],
    ...[{ ...silence(1300, 6), gap }, silence(1990, 4)],
  ];
  const whole = await collect(spliceInto(cut(speech, []), splices));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 8 }), async (lengths) => {
      assert.deepEqual(await collect(spliceInto(cut(speech, lengths), splices)), whole);
    }),
    { numRuns: 40 },
  );
});

test('speech without insertions is unchanged', async () => {
  const speech = Float32Array.of(1, 2, 3);
  for await (const part of spliceInto(cut(speech, [3]), [])) {
    if (part.length > 0) assert.deepEqual(part, speech);
  }
});

test('words before a splice keep their times, later words are shifted', () => {
  const times = [
    { wordIndex: 0, startSeconds: 0, endSeconds: 1 },
    { wordIndex: 1, startSeconds: 1, endSeconds: 2 },
  ];
  assert.deepEqual(spliceTimes(times, [silence(100, 50)], 100), [
    { wordIndex: 0, startSeconds: 0, endSeconds: 1 },
    { wordIndex: 1, startSeconds: 1.5, endSeconds: 2.5 },
  ]);
});

test('tokens map to their words, and a gap is cut at its centre', () => {
  // "ab, cd" with a token without a symbol at both ends.
  const wordSpans = [
    { start: 0, end: 2 },
    { start: 4, end: 6 },
  ];
  const tokenWords = mapTokensToWords({ symbols: 'ab, cd', wordSpans }, [-1, 0, 1, 2, 3, 4, 5, -1]);
  assert.deepEqual([...tokenWords.word], [0, 0, 0, 0, 0, 1, 1, 1]);
  assert.deepEqual(tokenWords.isGap, [true, false, false, true, true, false, false, true]);
  assert.equal(frameBeforeWord(1, tokenWords, Int32Array.of(5, 2, 2, 6, 2, 3, 3, 5)), 13);
});

test('durations are scaled in total, and every token keeps at least one frame', () => {
  const tokenWords = {
    word: new Int32Array(4),
    isGap: [false, false, false, true],
    isSpace: [false, false, false, false],
  };
  const act = (frames: Int32Array, changes: object) =>
    scaleTokenFrames(frames, [{ ...NEUTRAL_DELIVERY, ...changes }], tokenWords);
  const fast = act(Int32Array.of(3, 1, 2, 5), { rate: 2 });
  assert.ok(fast.every((frames) => frames >= 1));
  assert.equal(
    fast.reduce((sum, frames) => sum + frames),
    6,
  );
  assert.deepEqual(act(Int32Array.of(2, 1, 4, 3), {}), Int32Array.of(2, 1, 4, 3));
  assert.deepEqual(act(Int32Array.of(2, 1, 4, 3), { pauses: 2 }), Int32Array.of(2, 1, 4, 6));
});

test('a pause factor applies to punctuation; a bare space is lengthened but not shortened', () => {
  const wordSpans = [
    { start: 0, end: 1 },
    { start: 2, end: 3 },
    { start: 5, end: 6 },
  ];
  const tokenWords = mapTokensToWords({ symbols: 'a b, c', wordSpans }, [-1, 0, 1, 2, 3, 4, 5, -1]);
  const factors = (pauses: number) =>
    Array.from({ length: 8 }, (_, token) => pauseFactor(tokenWords, token, pauses));
  assert.deepEqual(factors(0.5), [0.5, 1, 1, 1, 0.5, 0.5, 1, 0.5]);
  assert.deepEqual(factors(2), [2, 1, 2, 1, 2, 2, 1, 2]);
});

test('spans fill the clock exactly, even with less than one step per frame', () => {
  const isGap = [false, false, false];
  const tokenWords = { word: Int32Array.of(0, 0, 0), isGap, isSpace: isGap };
  const spans = createDeliverySpans(Int32Array.of(3, 3, 5), [NEUTRAL_DELIVERY], {
    tokenWords,
    stepsPerFrame: 1 / 1.7,
  });
  assert.equal(
    spans.reduce((sum, { steps }) => sum + steps, 0),
    Math.round(11 / 1.7),
  );
});
