import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toVisemes } from './visemes.ts';

/** Visemes with their durations in tenths of a second, for phonemes of a tenth of a second each. */
function visemes(symbols: string): string {
  const phonemes = Array.from(symbols, (symbol, index) => ({
    symbol,
    startSeconds: index / 10,
    endSeconds: (index + 1) / 10,
  }));
  return toVisemes(phonemes)
    .map(
      ({ viseme, startSeconds, endSeconds }) => `${viseme} ${Math.round((endSeconds - startSeconds) * 10)}`,
    )
    .join(', ');
}

const CASES = [
  ['bˈOt', 'PP 2, oh 1, DD 1'],
  ['ʃˈɔɹ', 'CH 2, oh 1, RR 1'],
  ['fˈiːvθ', 'FF 2, ih 2, FF 1, TH 1'],
  ['mmm', 'PP 3'],
  ['ˈ', ''],
] as const;

for (const [symbols, expected] of CASES) {
  test(`${symbols} has the visemes ${expected || '(none)'}`, () => assert.equal(visemes(symbols), expected));
}
