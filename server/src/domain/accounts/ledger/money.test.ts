import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertNano, formatCredit, formatUsd, NANO_MAX, parseUsd } from './money.ts';
import { PriceTable } from './prices.ts';

const AMOUNTS = [
  ['0', 0],
  ['12.5', 12_500_000_000],
  ['0.000000001', 1],
  ['-3.25', -3_250_000_000],
  ['9000000', NANO_MAX],
] as const;
for (const [text, nano] of AMOUNTS) {
  test(`${text} US dollars are ${nano} nano-dollars`, () => {
    assert.equal(parseUsd(text), nano);
    assert.equal(formatUsd(nano), text);
  });
}

test('text that is not an exact amount is rejected', () => {
  for (const text of [
    '',
    '1e3',
    '0.0000000001',
    '9000000.000000001',
    '12,5',
    '$5',
    'NaN',
    '.5',
    '5.',
    '--1',
  ]) {
    assert.equal(parseUsd(text), undefined, text);
  }
  for (const nano of [-1, 0.5, Number.NaN, NANO_MAX + 1]) assert.throws(() => assertNano(nano), RangeError);
});

test('parsing a formatted amount returns the amount', () => {
  fc.assert(
    fc.property(fc.integer({ min: -NANO_MAX, max: NANO_MAX }), (nano) => {
      assert.equal(parseUsd(formatUsd(nano)), nano === 0 ? 0 : nano);
    }),
  );
});

test('credit is formatted with six decimals, truncated', () => {
  assert.equal(formatCredit(10_000_000_000), '10.000000');
  assert.equal(formatCredit(1_999_999_999), '1.999999');
  assert.equal(formatCredit(999), '0.000000');
});

test('the default prices match the documented API', () => {
  const prices = new PriceTable();
  assert.equal(prices.costNano('tts', 's1', 1_000_000), 15_000_000_000);
  assert.equal(prices.costNano('tts', 's2.1-pro-free', 1_000_000), 0);
  assert.equal(prices.costNano('asr', 'transcribe-1', 3600), 360_000_000);
  assert.equal(prices.costNano('voice_design', '', 1), 10_000_000);
});

test('prices of the operator take precedence, for one model or for all others', () => {
  const prices = new PriceTable({ tts: { '*': 30, s1: 1.5 }, asr: { 'transcribe-1': 0 } });
  assert.equal(prices.unitPriceNano('tts', 's1'), 1500);
  assert.equal(prices.unitPriceNano('tts', 's2-pro'), 30_000);
  assert.equal(prices.unitPriceNano('tts', 's2.1-pro-free'), 30_000);
  assert.equal(new PriceTable({ tts: { s1: 1 } }).unitPriceNano('tts', 's2.1-pro-free'), 0);
  assert.equal(prices.unitPriceNano('asr', 'transcribe-1'), 0);
  assert.equal(prices.unitPriceNano('asr', 'other'), 100_000);
});
