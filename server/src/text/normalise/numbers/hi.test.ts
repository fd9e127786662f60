import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hindiNumbers as speaker } from './hi.ts';

const CARDINALS = [
  ['0', 'शून्य'],
  ['1', 'एक'],
  ['19', 'उन्नीस'],
  ['29', 'उनतीस'],
  ['49', 'उनचास'],
  ['69', 'उनहत्तर'],
  ['79', 'उन्यासी'],
  ['89', 'नवासी'],
  ['99', 'निन्यानवे'],
  ['100', 'एक सौ'],
  ['101', 'एक सौ एक'],
  ['1000', 'एक हज़ार'],
  ['2019', 'दो हज़ार उन्नीस'],
  ['100000', 'एक लाख'],
  ['150000', 'एक लाख पचास हज़ार'],
  ['10000000', 'एक करोड़'],
  ['1234567890', 'एक अरब तेईस करोड़ पैंतालीस लाख सड़सठ हज़ार आठ सौ नब्बे'],
  ['007', 'शून्य शून्य सात'],
] as const;

test('Hindi cardinals', () => {
  for (const [digits, said] of CARDINALS) assert.equal(speaker.cardinal(digits).join(' '), said, digits);
});

const COUNTED = [['2', 'किलो', 'दो']] as const;

test('Hindi numbers agree with the counted noun', () => {
  for (const [digits, noun, said] of COUNTED) {
    assert.equal(speaker.counting(digits, noun).join(' '), said, `${digits} ${noun}`);
  }
});

const ORDINALS = [
  ['1', 'ला', 'पहला'],
  ['1', 'ली', 'पहली'],
  ['2', 'रे', 'दूसरे'],
  ['5', 'वाँ', 'पाँचवाँ'],
  ['5', 'वीं', 'पाँचवीं'],
  ['10', 'वें', 'दसवें'],
  ['6', 'ठा', 'छठा'],
] as const;

test('Hindi ordinals agree with the written suffix', () => {
  for (const [digits, mark, said] of ORDINALS) {
    assert.equal(speaker.ordinal(digits, mark)?.join(' '), said, digits + mark);
  }
});

const DECIMALS = [
  ['3', '14', 'तीन दशमलव एक चार'],
  ['0', '5', 'शून्य दशमलव पाँच'],
] as const;

test('Hindi decimals', () => {
  for (const [integer, fraction, said] of DECIMALS) {
    assert.equal(speaker.decimal(integer, fraction).join(' '), said);
  }
});

const AMOUNTS = [
  ['INR', '1', undefined, 'एक रुपया'],
  ['INR', '500', undefined, 'पाँच सौ रुपये'],
  ['INR', '99', '50', 'निन्यानवे रुपये पचास पैसे'],
  ['USD', '5', undefined, 'पाँच डॉलर'],
] as const;

test('Hindi amounts of money', () => {
  for (const [code, integer, fraction, said] of AMOUNTS) {
    assert.equal(speaker.currency(code, integer, fraction).join(' '), said);
  }
});

test('Hindi dates, times, years, percentages and units', () => {
  assert.equal(speaker.date({ day: 15, month: 8, year: '1947' }).join(' '), 'पंद्रह अगस्त उन्नीस सौ सैंतालीस');
  assert.equal(speaker.date({ day: 26, month: 1 }).join(' '), 'छब्बीस जनवरी');
  assert.equal(speaker.time(6, 0).join(' '), 'छह बजे');
  assert.equal(speaker.time(10, 15).join(' '), 'दस बजकर पंद्रह मिनट');
  assert.equal(speaker.year('1947').join(' '), 'उन्नीस सौ सैंतालीस');
  assert.equal(speaker.percent(speaker.cardinal('25')).join(' '), 'पच्चीस प्रतिशत');
  assert.equal(speaker.unit('km', true)?.join(' '), 'किलोमीटर');
  assert.equal(speaker.unit('parsec', true), undefined);
});
