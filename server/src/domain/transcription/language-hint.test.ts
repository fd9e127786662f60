import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageName, parseLanguageHint } from './language-hint.ts';

const HINTS = [
  [undefined, undefined],
  [null, undefined],
  ['', undefined],
  ['auto', undefined],
  ['en', 'en'],
  ['EN', 'en'],
  ['en-US', 'en'],
  ['en_gb', 'en'],
  ['English', 'en'],
  ['eng', 'en'],
  ['deu', 'de'],
  ['zh-Hant-TW', 'zh'],
  ['Mandarin', 'zh'],
  ['Haitian Creole', 'ht'],
  ['nb-NO', 'no'],
  ['yue', 'yue'],
] as const;
for (const [hint, code] of HINTS) {
  test(`the hint ${hint} is parsed as ${code}`, () => assert.equal(parseLanguageHint(hint), code));
}

for (const hint of ['klingon', 'xx', '12', 'en glish', 'constructor', '__proto__']) {
  test(`the hint ${hint} is rejected`, () => {
    assert.throws(() => parseLanguageHint(hint), { code: 'language_not_supported' });
  });
}

test('a long hint is read up to a limit', () => {
  assert.equal(parseLanguageHint(`en${'-a'.repeat(4_000_000)}`), 'en');
  assert.throws(() => parseLanguageHint('a'.repeat(8_000_000)), { code: 'language_not_supported' });
});

test('languages have English names', () => {
  assert.deepEqual(['en', 'pt', 'jw', 'yue'].map(languageName), [
    'English',
    'Portuguese',
    'Javanese',
    'Cantonese',
  ]);
});
