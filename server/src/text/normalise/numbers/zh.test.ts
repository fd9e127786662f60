import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chineseNumbers as speaker } from './zh.ts';

const CARDINALS = [
  ['0', '零'],
  ['2', '二'],
  ['10', '十'],
  ['12', '十二'],
  ['100', '一百'],
  ['101', '一百零一'],
  ['110', '一百一十'],
  ['200', '二百'],
  ['320', '三百二十'],
  ['1001', '一千零一'],
  ['1010', '一千零一十'],
  ['2000', '两千'],
  ['2222', '两千二百二十二'],
  ['10000', '一万'],
  ['10001', '一万零一'],
  ['20000', '两万'],
  ['100012', '十万零一十二'],
  ['10010000', '一千零一万'],
  ['100000000', '一亿'],
  ['101000000', '一亿零一百万'],
  ['200000000', '两亿'],
  ['1000000000000', '一万亿'],
  ['12340000000000', '十二万三千四百亿'],
  ['007', '零 零 七'],
] as const;

test('Chinese cardinals', () => {
  for (const [digits, said] of CARDINALS) assert.equal(speaker.cardinal(digits).join(' '), said, digits);
});

const COUNTED = [
  ['2', '个', '两'],
  ['2', '月', '二'],
  ['2', '年', '两'],
  ['2019', '年', '二零一九'],
  ['12', '个', '十二'],
  ['2', '', '二'],
] as const;

test('Chinese numbers agree with the counted noun', () => {
  for (const [digits, noun, said] of COUNTED) {
    assert.equal(speaker.counting(digits, noun).join(' '), said, `${digits} ${noun}`);
  }
});

const DECIMALS = [
  ['3', '14', '三点一四'],
  ['0', '05', '零点零五'],
] as const;

test('Chinese decimals', () => {
  for (const [integer, fraction, said] of DECIMALS) {
    assert.equal(speaker.decimal(integer, fraction).join(' '), said);
  }
});

const AMOUNTS = [
  ['CNY', '2', undefined, '两元'],
  ['CNY', '12', '5', '十二元五角'],
  ['CNY', '3', '05', '三元零五分'],
  ['CNY', '0', '25', '两角五分'],
  ['USD', '2', '50', '二点五零美元'],
  ['USD', '100', undefined, '一百美元'],
] as const;

test('Chinese amounts of money', () => {
  for (const [code, integer, fraction, said] of AMOUNTS) {
    assert.equal(speaker.currency(code, integer, fraction).join(' '), said);
  }
});

test('Chinese dates, times, years, percentages and units', () => {
  assert.equal(speaker.date({ day: 1, month: 3, year: '2021' }).join(' '), '二零二一年 三月 一日');
  assert.equal(speaker.date({ day: 20, month: 10 }).join(' '), '十月 二十日');
  assert.equal(speaker.time(2, 0).join(' '), '两点');
  assert.equal(speaker.time(8, 5).join(' '), '八点 零五分');
  assert.equal(speaker.time(14, 30).join(' '), '十四点 三十分');
  assert.equal(speaker.year('2019').join(' '), '二零一九');
  assert.equal(speaker.percent(speaker.cardinal('25')).join(' '), '百分之 二十五');
  assert.equal(speaker.unit('km', true)?.join(' '), '公里');
  assert.equal(speaker.unit('parsec', true), undefined);
});
