import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portugueseNumbers as speaker } from './pt.ts';

const CARDINALS = [
  ['0', 'zero'],
  ['1', 'um'],
  ['16', 'dezesseis'],
  ['21', 'vinte e um'],
  ['100', 'cem'],
  ['101', 'cento e um'],
  ['200', 'duzentos'],
  ['999', 'novecentos e noventa e nove'],
  ['1000', 'mil'],
  ['1001', 'mil e um'],
  ['1100', 'mil e cem'],
  ['1102', 'mil cento e dois'],
  ['1962', 'mil novecentos e sessenta e dois'],
  ['2000', 'dois mil'],
  ['2019', 'dois mil e dezenove'],
  ['1000000', 'um milhão'],
  ['2500000', 'dois milhões e quinhentos mil'],
  ['1000000000', 'um bilhão'],
  ['007', 'zero zero sete'],
] as const;

test('Portuguese cardinals', () => {
  for (const [digits, said] of CARDINALS) assert.equal(speaker.cardinal(digits).join(' '), said, digits);
});

const COUNTED = [
  ['1', 'casa', 'uma'],
  ['2', 'pessoas', 'duas'],
  ['2', 'dias', 'dois'],
  ['2', 'problemas', 'dois'],
  ['22', 'horas', 'vinte e duas'],
  ['200', 'pessoas', 'duzentas'],
  ['2000', 'mulheres', 'duas mil'],
  ['2000000', 'pessoas', 'dois milhões de'],
  ['2', 'de', 'dois'],
] as const;

test('Portuguese numbers agree with the counted noun', () => {
  for (const [digits, noun, said] of COUNTED) {
    assert.equal(speaker.counting(digits, noun).join(' '), said, `${digits} ${noun}`);
  }
});

const ORDINALS = [
  ['1', 'º', 'primeiro'],
  ['2', 'ª', 'segunda'],
  ['11', 'º', 'décimo primeiro'],
  ['20', 'º', 'vigésimo'],
  ['21', 'ª', 'vigésima primeira'],
  ['100', 'º', 'centésimo'],
  ['1000', 'º', 'milésimo'],
] as const;

test('Portuguese ordinals agree with the written suffix', () => {
  for (const [digits, mark, said] of ORDINALS) {
    assert.equal(speaker.ordinal(digits, mark)?.join(' '), said, digits + mark);
  }
});

const DECIMALS = [
  ['3', '14', 'três vírgula quatorze'],
  ['0', '5', 'zero vírgula cinco'],
  ['3', '05', 'três vírgula zero cinco'],
] as const;

test('Portuguese decimals', () => {
  for (const [integer, fraction, said] of DECIMALS) {
    assert.equal(speaker.decimal(integer, fraction).join(' '), said);
  }
});

const AMOUNTS = [
  ['BRL', '1', undefined, 'um real'],
  ['BRL', '21', '50', 'vinte e um reais e cinquenta centavos'],
  ['GBP', '2', undefined, 'duas libras'],
  ['BRL', '1000000', undefined, 'um milhão de reais'],
  ['BRL', '0', '01', 'um centavo'],
] as const;

test('Portuguese amounts of money', () => {
  for (const [code, integer, fraction, said] of AMOUNTS) {
    assert.equal(speaker.currency(code, integer, fraction).join(' '), said);
  }
});

test('Portuguese dates, times, years, percentages and units', () => {
  assert.equal(
    speaker.date({ day: 1, month: 3, year: '2021' }).join(' '),
    'primeiro de março de dois mil e vinte e um',
  );
  assert.equal(speaker.date({ day: 7, month: 9 }).join(' '), 'sete de setembro');
  assert.equal(speaker.time(1, 0).join(' '), 'uma hora');
  assert.equal(speaker.time(14, 0).join(' '), 'quatorze horas');
  assert.equal(speaker.time(6, 30).join(' '), 'seis e meia');
  assert.equal(speaker.time(14, 20).join(' '), 'quatorze e vinte');
  assert.equal(speaker.year('1822').join(' '), 'mil oitocentos e vinte e dois');
  assert.equal(speaker.percent(speaker.cardinal('25')).join(' '), 'vinte e cinco por cento');
  assert.equal(speaker.unit('°C', true)?.join(' '), 'graus Celsius');
  assert.equal(speaker.unit('parsec', true), undefined);
});
