import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { americanNumbers, britishNumbers, pairedWords } from './en.ts';

describe('English numbers', () => {
  const cardinals: [string, string, string][] = [
    ['0', 'zero', 'zero'],
    ['21', 'twenty one', 'twenty one'],
    ['105', 'one hundred five', 'one hundred and five'],
    ['1001', 'one thousand one', 'one thousand and one'],
    [
      '1234567',
      'one million two hundred thirty four thousand five hundred sixty seven',
      'one million two hundred and thirty four thousand five hundred and sixty seven',
    ],
    ['007', 'zero zero seven', 'zero zero seven'],
  ];
  for (const [digits, american, british] of cardinals) {
    it(`${digits} is "${american}" or "${british}"`, () => {
      assert.equal(americanNumbers.cardinal(digits).join(' '), american);
      assert.equal(britishNumbers.cardinal(digits).join(' '), british);
    });
  }

  it('years are verbalized in pairs, except in the first decade of a millennium', () => {
    const years = ['1066', '1900', '1905', '1984', '2000', '2008', '2010', '2024'];
    assert.deepEqual(
      years.map((year) => americanNumbers.year(year).join(' ')),
      [
        'ten sixty six',
        'nineteen hundred',
        'nineteen oh five',
        'nineteen eighty four',
        'two thousand',
        'two thousand eight',
        'twenty ten',
        'twenty twenty four',
      ],
    );
    assert.equal(pairedWords('204').join(' '), 'two oh four');
  });

  it('every digit string gives words of letters only', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,60}$/), (digits) => {
        const all = [
          ...americanNumbers.cardinal(digits),
          ...britishNumbers.cardinal(digits),
          ...(americanNumbers.ordinal(digits, 'th') ?? []),
          ...americanNumbers.decimal(digits, digits),
          ...americanNumbers.currency('USD', digits, digits),
          ...americanNumbers.year(digits),
        ];
        for (const word of all) assert.match(word, /^[A-Za-z']+$/);
      }),
    );
  });
});
