import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frenchNumbers as speaker } from './fr.ts';

const CARDINALS = [
  ['0', 'zéro'],
  ['1', 'un'],
  ['17', 'dix-sept'],
  ['21', 'vingt et un'],
  ['22', 'vingt-deux'],
  ['70', 'soixante-dix'],
  ['71', 'soixante et onze'],
  ['77', 'soixante-dix-sept'],
  ['80', 'quatre-vingts'],
  ['81', 'quatre-vingt-un'],
  ['91', 'quatre-vingt-onze'],
  ['99', 'quatre-vingt-dix-neuf'],
  ['100', 'cent'],
  ['200', 'deux cents'],
  ['201', 'deux cent un'],
  ['280', 'deux cent quatre-vingts'],
  ['1000', 'mille'],
  ['2000', 'deux mille'],
  ['80000', 'quatre-vingt mille'],
  ['200000', 'deux cent mille'],
  ['200000000', 'deux cents millions'],
  ['80000000', 'quatre-vingts millions'],
  ['1000000000', 'un milliard'],
  ['2019', 'deux mille dix-neuf'],
  ['007', 'zéro zéro sept'],
] as const;

test('French cardinals', () => {
  for (const [digits, said] of CARDINALS) assert.equal(speaker.cardinal(digits).join(' '), said, digits);
});

const COUNTED = [
  ['1', 'pomme', 'une'],
  ['1', 'chat', 'un'],
  ['21', 'élèves', 'vingt et un'],
  ['21', 'personnes', 'vingt et une'],
  ['81', 'pages', 'quatre-vingt-une'],
  ['11', 'heures', 'onze'],
  ['1000000', 'personnes', 'un million de'],
  ['21', 'musées', 'vingt et un'],
  ['21', '', 'vingt et un'],
] as const;

test('French numbers agree with the counted noun', () => {
  for (const [digits, noun, said] of COUNTED) {
    assert.equal(speaker.counting(digits, noun).join(' '), said, `${digits} ${noun}`);
  }
});

const ORDINALS = [
  ['1', 'er', 'premier'],
  ['1', 're', 'première'],
  ['1', 'ère', 'première'],
  ['2', 'e', 'deuxième'],
  ['2', 'nde', 'seconde'],
  ['5', 'e', 'cinquième'],
  ['9', 'ème', 'neuvième'],
  ['21', 'e', 'vingt et unième'],
  ['80', 'e', 'quatre-vingtième'],
  ['200', 'e', 'deux centième'],
  ['1000', 'e', 'millième'],
] as const;

test('French ordinals agree with the written suffix', () => {
  for (const [digits, mark, said] of ORDINALS) {
    assert.equal(speaker.ordinal(digits, mark)?.join(' '), said, digits + mark);
  }
});

const DECIMALS = [
  ['3', '14', 'trois virgule quatorze'],
  ['0', '5', 'zéro virgule cinq'],
  ['3', '05', 'trois virgule zéro cinq'],
] as const;

test('French decimals', () => {
  for (const [integer, fraction, said] of DECIMALS) {
    assert.equal(speaker.decimal(integer, fraction).join(' '), said);
  }
});

const AMOUNTS = [
  ['EUR', '1', undefined, 'un euro'],
  ['EUR', '0', undefined, 'zéro euro'],
  ['EUR', '21', '50', 'vingt et un euros et cinquante centimes'],
  ['GBP', '21', undefined, 'vingt et une livres'],
  ['EUR', '1000000', undefined, "un million d'euros"],
  ['USD', '3000000', undefined, 'trois millions de dollars'],
  ['USD', '0', '01', 'un cent'],
] as const;

test('French amounts of money', () => {
  for (const [code, integer, fraction, said] of AMOUNTS) {
    assert.equal(speaker.currency(code, integer, fraction).join(' '), said);
  }
});

test('French dates, times, years, percentages and units', () => {
  assert.equal(
    speaker.date({ day: 1, month: 3, year: '2021' }).join(' '),
    'premier mars deux mille vingt et un',
  );
  assert.equal(speaker.date({ day: 14, month: 7 }).join(' '), 'quatorze juillet');
  assert.equal(speaker.time(1, 0).join(' '), 'une heure');
  assert.equal(speaker.time(15, 30).join(' '), 'quinze heures trente');
  assert.equal(speaker.time(21, 1).join(' '), 'vingt et une heures une');
  assert.equal(speaker.year('1999').join(' '), 'mille neuf cent quatre-vingt-dix-neuf');
  assert.equal(speaker.percent(speaker.cardinal('25')).join(' '), 'vingt-cinq pour cent');
  assert.equal(speaker.unit('km/h', true)?.join(' '), 'kilomètres heure');
  assert.equal(speaker.unit('parsec', true), undefined);
});
