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
  ['en', 'twenty one', 'twenty one'],
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
