import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FrontResult } from './front.ts';
import { alignText, FEATURE_ROWS, tokensOfFrames } from './networks/features.ts';
import { chooseOpening, continueOpening, framesOfTokens } from './opening.ts';

/** One token per symbol. */
function tokensOf(symbols: string) {
  const symbolIndex = [...symbols].map((_, index) => index);
  return { ids: symbolIndex.map(() => 1), symbolIndex };
}

const words = (count: number) => Array.from({ length: count }, () => 'abcd').join(' ');

test('a long sentence has an opening of whole words, and the front reads words after it', () => {
  const symbols = words(20);
  const opening = chooseOpening(symbols, tokensOf(symbols))!;
  assert.equal(symbols[opening.tokens], ' ');
  assert.equal(symbols[opening.tokensRead], ' ');
  assert.ok(opening.tokens >= 12 && opening.tokens <= 30);
  assert.ok(opening.tokensRead >= opening.tokens + 18 && opening.tokensRead < symbols.length);
});

test('an opening ends at punctuation where there is some', () => {
  const symbols = `abcd abcd abcd, ${words(18)}`;
  assert.equal(chooseOpening(symbols, tokensOf(symbols))!.tokens, 'abcd abcd abcd,'.length);
});

test('a short sentence and phonemes without spaces have no opening', () => {
  const short = words(10);
  assert.equal(chooseOpening(short, tokensOf(short)), undefined);
  const spaceless = 'a'.repeat(120);
  assert.equal(chooseOpening(spaceless, tokensOf(spaceless)), undefined);
});

/** Every value is the same. */
function frontOf(tokenFrames: readonly number[], value: number): FrontResult {
  const values = tokenFrames.flatMap((count) => Array<number>(count).fill(value));
  return {
    frames: values.length,
    tokenFrames: Int32Array.from(tokenFrames),
    text: new Float32Array(FEATURE_ROWS * tokenFrames.length).fill(value),
    frameTokens: tokensOfFrames(Int32Array.from(tokenFrames)),
    f0: Float32Array.from(values.flatMap((one) => [one, one])),
    energy: Float32Array.from(values.flatMap((one) => [one, one])),
  };
}

test('the sentence continues its opening: durations and features before the cut are those of the opening', () => {
  const opening = frontOf([2, 3, 3, 4, 4, 2], 120);
  const sentence = frontOf([1, 2, 2, 40, 40, 30, 5], 240);
  const joined = continueOpening(opening, sentence, { tokens: 2, tokensRead: 4 });
  assert.deepEqual([...joined.tokenFrames], [2, 3, 3, 40, 40, 30, 5]);
  assert.equal(joined.frames, 123);
  const cut = framesOfTokens(opening, 2);
  const text = alignText(joined);
  assert.equal(text.length, FEATURE_ROWS * joined.frames);
  assert.ok(text.subarray(0, cut * FEATURE_ROWS).every((value) => value === 120));
  assert.ok(text.subarray(cut * FEATURE_ROWS).every((value) => value === 240));
  assert.equal(joined.energy[2 * cut - 1], 120);
  assert.equal(joined.energy[2 * cut], 240);
});

test('the pitch does not jump after the opening and reaches the contour of the sentence', () => {
  const opening = frontOf([2, 10, 10, 40], 120);
  const sentence = frontOf([2, 10, 10, 40, 40, 4], 240);
  const { f0 } = continueOpening(opening, sentence, { tokens: 2, tokensRead: 3 });
  const cut = 2 * framesOfTokens(opening, 2);
  assert.ok(Math.abs(f0[cut]! - 120) < 1);
  assert.ok(Math.abs(f0[cut + 16]! / Math.sqrt(120 * 240) - 1) < 0.01);
  assert.equal(f0[cut + 32], 240);
  for (let half = cut + 1; half < f0.length; half++) assert.ok(f0[half]! / f0[half - 1]! < 1.05);
});
