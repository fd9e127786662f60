import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeNumbersAsDigits } from './numbers-as-digits.ts';

function wordsOf(text: string) {
  return text
    .split(' ')
    .map((word, index) => ({ text: word, startSeconds: index, endSeconds: index + 1, confidence: 0.9 }));
}

const CASES = [
  ['fr', 'Les vingt et un élèves', 'Les 21 élèves'],
  ['fr', 'Il a quatre-vingt-dix ans.', 'Il a 90 ans.'],
  ['fr', 'En mille neuf cent soixante-deux, il pleuvait.', 'En 1962, il pleuvait.'],
  ['fr', 'cent deux cent trois', 'cent deux cent trois'],
  ['fr', 'trente ans et dix-neuf jours', 'trente ans et dix-neuf jours'],
  ['fr', 'un peu et deux, trois fois', 'un peu et deux, trois fois'],
  ['es', 'treinta y cinco personas', '35 personas'],
  ['es', 'dos mil doce.', '2012.'],
  ['es', 'uno y otro', 'uno y otro'],
  ['it', 'due mila e uno', 'due mila e uno'],
  ['pt', 'mil novecentos e sessenta e dois', '1962'],
  ['pt', 'vinte e um dias', '21 dias'],
  ['pt', 'e vinte e um e depois', 'e 21 e depois'],
  ['en', 'There were twenty one of them.', 'There were 21 of them.'],
  ['en', 'twenty-five dollars and thirty cents', '25 dollars and 30 cents'],
  ['en', 'one hundred and five people', '105 people'],
  ['en', 'two thousand three hundred miles.', '2300 miles.'],
  ['en', 'in nineteen eighty-four, we', 'in 1984, we'],
  ['en', 'seven green apples and two pears', 'seven green apples and two pears'],
  ['en', 'between fifty and sixty', 'between fifty and sixty'],
  ['en', 'one two three four', 'one two three four'],
  ['en', 'and then ninety', 'and then 90'],
  ['de', 'einundzwanzig Tage', 'einundzwanzig Tage'],
] as const;
for (const [language, spoken, written] of CASES) {
  test(`${language}: "${spoken}" is written "${written}"`, () => {
    const words = writeNumbersAsDigits(wordsOf(spoken), language);
    assert.equal(words.map(({ text }) => text).join(' '), written);
  });
}

test('digits cover the time of the words that they replace', () => {
  const [, digits] = writeNumbersAsDigits(wordsOf('Les vingt et un élèves'), 'fr');
  assert.deepEqual(digits, { text: '21', startSeconds: 1, endSeconds: 4, confidence: 0.9 });
});
