import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanishNumbers as speaker } from './es.ts';

const CARDINALS = [
  ['0', 'cero'],
  ['1', 'uno'],
  ['16', 'dieciséis'],
  ['21', 'veintiuno'],
  ['22', 'veintidós'],
  ['31', 'treinta y uno'],
  ['100', 'cien'],
  ['101', 'ciento uno'],
  ['200', 'doscientos'],
  ['500', 'quinientos'],
  ['999', 'novecientos noventa y nueve'],
  ['1000', 'mil'],
  ['1962', 'mil novecientos sesenta y dos'],
  ['2019', 'dos mil diecinueve'],
  ['21000', 'veintiún mil'],
  ['1000000', 'un millón'],
  ['21000000', 'veintiún millones'],
  ['1000000000', 'mil millones'],
  ['1000000000000', 'un billón'],
  ['007', 'cero cero siete'],
] as const;

test('Spanish cardinals', () => {
  for (const [digits, said] of CARDINALS) assert.equal(speaker.cardinal(digits).join(' '), said, digits);
});

const COUNTED = [
  ['1', 'kilo', 'un'],
  ['1', 'manzana', 'una'],
  ['21', 'días', 'veintiún'],
  ['21', 'horas', 'veintiuna'],
  ['31', 'problemas', 'treinta y un'],
  ['200', 'personas', 'doscientas'],
  ['200000', 'personas', 'doscientas mil'],
  ['21', 'de', 'veintiuno'],
  ['21', '', 'veintiuno'],
  ['2000000', 'habitantes', 'dos millones de'],
  ['21', 'veces', 'veintiuna'],
] as const;

test('Spanish numbers agree with the counted noun', () => {
  for (const [digits, noun, said] of COUNTED) {
    assert.equal(speaker.counting(digits, noun).join(' '), said, `${digits} ${noun}`);
  }
});

const ORDINALS = [
  ['1', 'º', 'primero'],
  ['1', 'ª', 'primera'],
  ['1', 'er', 'primer'],
  ['3', '.er', 'tercer'],
  ['12', 'º', 'duodécimo'],
  ['13', 'ª', 'decimotercera'],
  ['21', 'º', 'vigésimo primero'],
  ['100', 'º', 'centésimo'],
  ['342', 'ª', 'tricentésima cuadragésima segunda'],
] as const;

test('Spanish ordinals agree with the written suffix', () => {
  for (const [digits, mark, said] of ORDINALS) {
    assert.equal(speaker.ordinal(digits, mark)?.join(' '), said, digits + mark);
  }
});

const DECIMALS = [
  ['3', '14', 'tres coma catorce'],
  ['0', '5', 'cero coma cinco'],
  ['3', '05', 'tres coma cero cinco'],
  ['3', '1416', 'tres coma uno cuatro uno seis'],
] as const;

test('Spanish decimals', () => {
  for (const [integer, fraction, said] of DECIMALS) {
    assert.equal(speaker.decimal(integer, fraction).join(' '), said);
  }
});

const AMOUNTS = [
  ['USD', '1', undefined, 'un dólar'],
  ['EUR', '9', undefined, 'nueve euros'],
  ['EUR', '21', '50', 'veintiún euros con cincuenta céntimos'],
  ['EUR', '2', '5', 'dos euros con cincuenta céntimos'],
  ['GBP', '1', '00', 'una libra'],
  ['GBP', '0', '05', 'cinco peniques'],
  ['EUR', '1000000', undefined, 'un millón de euros'],
  ['USD', '3', '125', 'tres coma uno dos cinco dólares'],
  ['JPY', '200', undefined, 'doscientos yenes'],
  ['GBP', '200', undefined, 'doscientas libras'],
] as const;

test('Spanish amounts of money', () => {
  for (const [code, integer, fraction, said] of AMOUNTS) {
    assert.equal(speaker.currency(code, integer, fraction).join(' '), said);
  }
});

test('Spanish dates, times, years, percentages and units', () => {
  assert.equal(
    speaker.date({ day: 1, month: 3, year: '2021' }).join(' '),
    'uno de marzo de dos mil veintiuno',
  );
  assert.equal(speaker.date({ day: 15, month: 8 }).join(' '), 'quince de agosto');
  assert.equal(speaker.time(1, 0).join(' '), 'una');
  assert.equal(speaker.time(6, 30).join(' '), 'seis y media');
  assert.equal(speaker.time(21, 5).join(' '), 'veintiuna y cinco');
  assert.equal(speaker.time(15, 30).join(' '), 'quince y treinta');
  assert.equal(speaker.year('1987').join(' '), 'mil novecientos ochenta y siete');
  assert.equal(speaker.percent(speaker.cardinal('25')).join(' '), 'veinticinco por ciento');
  assert.equal(speaker.unit('Km', true)?.join(' '), 'kilómetros');
  assert.equal(speaker.unit('parsec', true), undefined);
});
