import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { spanishNumbers } from './es.ts';
import { frenchNumbers } from './fr.ts';
import { hindiNumbers } from './hi.ts';
import { italianNumbers } from './it.ts';
import { japaneseNumbers } from './ja.ts';
import { CURRENCIES, type NumberVerbalizer } from './number-verbalizer.ts';
import { portugueseNumbers } from './pt.ts';
import { chineseNumbers } from './zh.ts';

const SPEAKERS: Readonly<Record<string, NumberVerbalizer>> = {
  es: spanishNumbers,
  fr: frenchNumbers,
  hi: hindiNumbers,
  it: italianNumbers,
  ja: japaneseNumbers,
  pt: portugueseNumbers,
  zh: chineseNumbers,
};

const digitString = fc.stringMatching(/^\d{1,40}$/);

function assertWords(words: readonly string[] | undefined): void {
  assert.ok(words !== undefined && words.length > 0);
  for (const word of words) assert.match(word, /^[\p{L}\p{M}'-]+$/u);
}

for (const [language, speaker] of Object.entries(SPEAKERS)) {
  test(`every number is verbalized in ${language}`, () => {
    fc.assert(
      fc.property(digitString, digitString, fc.constantFrom(...CURRENCIES), (integer, fraction, code) => {
        assertWords(speaker.cardinal(integer));
        assertWords(speaker.counting(integer, ''));
        assertWords(speaker.digits(integer));
        assertWords(speaker.decimal(integer, fraction));
        assertWords(speaker.currency(code, integer, fraction));
        assertWords(speaker.currency(code, integer));
        assertWords(speaker.year(integer));
        const ordinal = speaker.ordinal(integer, '');
        if (ordinal !== undefined) assertWords(ordinal);
      }),
    );
  });

  test(`every date and every time is verbalized in ${language}`, () => {
    for (let month = 1; month <= 12; month++) {
      for (let day = 1; day <= 31; day++) assertWords(speaker.date({ day, month, year: '2024' }));
    }
    for (let minuteOfDay = 0; minuteOfDay < 24 * 60; minuteOfDay++) {
      assertWords(speaker.time(Math.floor(minuteOfDay / 60), minuteOfDay % 60));
    }
  });

  test(`different numbers have different words in ${language}`, () => {
    const said = new Set<string>();
    for (let value = 0; value < 20_000; value++) said.add(speaker.cardinal(String(value)).join(' '));
    assert.equal(said.size, 20_000);
  });
}
