import assert from 'node:assert/strict';
import { test } from 'node:test';
import { italianNumbers as speaker } from './it.ts';

const CARDINALS = [
  ['0', 'zero'],
  ['1', 'uno'],
  ['17', 'diciassette'],
  ['21', 'ventuno'],
  ['23', 'ventitré'],
  ['28', 'ventotto'],
  ['100', 'cento'],
  ['101', 'centouno'],
  ['103', 'centotré'],
  ['108', 'centotto'],
  ['180', 'centottanta'],
  ['1000', 'mille'],
  ['1001', 'milleuno'],
  ['1962', 'millenovecentosessantadue'],
  ['2000', 'duemila'],
  ['23000', 'ventitremila'],
  ['1000000', 'un milione'],
  ['2500000', 'due milioni cinquecentomila'],
  ['1000000000', 'un miliardo'],
  ['007', 'zero zero sette'],
] as const;

test('Italian cardinals', () => {
  for (const [digits, said] of CARDINALS) assert.equal(speaker.cardinal(digits).join(' '), said, digits);
});

const COUNTED = [
  ['1', 'treno', 'un'],
  ['1', 'zio', 'uno'],
  ['1', 'studente', 'uno'],
  ['1', 'casa', 'una'],
  ['1', 'stazione', 'una'],
  ['18', 'chilometri', 'diciotto'],
  ['2000000', 'abitanti', 'due milioni di'],
  ['1', '', 'uno'],
] as const;

test('Italian numbers agree with the counted noun', () => {
  for (const [digits, noun, said] of COUNTED) {
    assert.equal(speaker.counting(digits, noun).join(' '), said, `${digits} ${noun}`);
  }
});

const ORDINALS = [
  ['1', 'º', 'primo'],
  ['1', 'ª', 'prima'],
  ['10', 'º', 'decimo'],
  ['11', 'º', 'undicesimo'],
  ['21', 'ª', 'ventunesima'],
  ['23', 'º', 'ventitreesimo'],
  ['26', 'º', 'ventiseiesimo'],
  ['100', 'º', 'centesimo'],
  ['1000', 'º', 'millesimo'],
  ['2000', 'º', 'duemillesimo'],
] as const;

test('Italian ordinals agree with the written suffix', () => {
  for (const [digits, mark, said] of ORDINALS) {
    assert.equal(speaker.ordinal(digits, mark)?.join(' '), said, digits + mark);
  }
});

const DECIMALS = [
  ['3', '14', 'tre virgola quattordici'],
  ['0', '5', 'zero virgola cinque'],
  ['3', '05', 'tre virgola zero cinque'],
] as const;

test('Italian decimals', () => {
  for (const [integer, fraction, said] of DECIMALS) {
    assert.equal(speaker.decimal(integer, fraction).join(' '), said);
  }
});

const AMOUNTS = [
  ['EUR', '1', undefined, 'un euro'],
  ['GBP', '1', undefined, 'una sterlina'],
  ['EUR', '21', '50', 'ventuno euro e cinquanta centesimi'],
  ['EUR', '1000000', undefined, 'un milione di euro'],
  ['USD', '0', '01', 'un centesimo'],
] as const;

test('Italian amounts of money', () => {
  for (const [code, integer, fraction, said] of AMOUNTS) {
    assert.equal(speaker.currency(code, integer, fraction).join(' '), said);
  }
});

test('Italian dates, times, years, percentages and units', () => {
  assert.equal(speaker.date({ day: 1, month: 3, year: '2021' }).join(' '), 'primo marzo duemilaventuno');
  assert.equal(speaker.date({ day: 8, month: 9 }).join(' '), 'otto settembre');
  assert.equal(speaker.time(1, 0).join(' '), 'una');
  assert.equal(speaker.time(8, 30).join(' '), 'otto e mezza');
  assert.equal(speaker.time(15, 45).join(' '), 'quindici e quarantacinque');
  assert.equal(speaker.year('1987').join(' '), 'millenovecentottantasette');
  assert.equal(speaker.percent(speaker.cardinal('25')).join(' '), 'venticinque per cento');
  assert.equal(speaker.unit('kg', false)?.join(' '), 'chilo');
  assert.equal(speaker.unit('parsec', true), undefined);
});
