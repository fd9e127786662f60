import assert from 'node:assert/strict';
import { test } from 'node:test';
import { japaneseNumbers as speaker } from './ja.ts';

const CARDINALS = [
  ['0', 'ゼロ'],
  ['1', '一'],
  ['10', '十'],
  ['11', '十一'],
  ['20', '二十'],
  ['100', '百'],
  ['101', '百一'],
  ['300', '三百'],
  ['1000', '千'],
  ['2019', '二千十九'],
  ['10000', '一万'],
  ['21000', '二万千'],
  ['10000000', '一千万'],
  ['100000000', '一億'],
  ['1234567890', '十二億三千四百五十六万七千八百九十'],
  ['007', 'ゼロ ゼロ ナナ'],
] as const;

test('Japanese cardinals', () => {
  for (const [digits, said] of CARDINALS) assert.equal(speaker.cardinal(digits).join(' '), said, digits);
});

const COUNTED = [['3', '本', '三']] as const;

test('Japanese numbers agree with the counted noun', () => {
  for (const [digits, noun, said] of COUNTED) {
    assert.equal(speaker.counting(digits, noun).join(' '), said, `${digits} ${noun}`);
  }
});

const DECIMALS = [
  ['3', '14', '三点イチヨン'],
  ['0', '5', 'ゼロ点ゴ'],
] as const;

test('Japanese decimals', () => {
  for (const [integer, fraction, said] of DECIMALS) {
    assert.equal(speaker.decimal(integer, fraction).join(' '), said);
  }
});

const AMOUNTS = [
  ['JPY', '400', undefined, '四百円'],
  ['USD', '5', '50', '五ドル五十セント'],
  ['USD', '0', '99', '九十九セント'],
  ['JPY', '200', '5', '二百点ゴ円'],
] as const;

test('Japanese amounts of money', () => {
  for (const [code, integer, fraction, said] of AMOUNTS) {
    assert.equal(speaker.currency(code, integer, fraction).join(' '), said);
  }
});

test('Japanese dates, times, years, percentages and units', () => {
  assert.equal(speaker.date({ day: 1, month: 3, year: '2021' }).join(' '), '二千二十一年 三月 一日');
  assert.equal(speaker.date({ day: 20, month: 4 }).join(' '), '四月 二十日');
  assert.equal(speaker.time(0, 0).join(' '), '零時');
  assert.equal(speaker.time(6, 30).join(' '), '六時 三十分');
  assert.equal(speaker.year('2019').join(' '), '二千十九');
  assert.equal(speaker.percent(speaker.cardinal('25')).join(' '), '二十五 パーセント');
  assert.equal(speaker.unit('km', true)?.join(' '), 'キロメートル');
  assert.equal(speaker.unit('parsec', true), undefined);
});
