import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const LOCALES = ['de', 'es', 'zh'];
const read = (locale) =>
  JSON.parse(readFileSync(new URL(`../src/locales/${locale}.json`, import.meta.url), 'utf8'));
const placeholdersOf = (text) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name).sort();

test('the catalogues have the same messages, all translated, with the same placeholders', () => {
  const keys = Object.keys(read('de')).sort();
  for (const locale of LOCALES) {
    const catalogue = read(locale);
    assert.deepEqual(Object.keys(catalogue).sort(), keys, locale);
    for (const [message, translation] of Object.entries(catalogue)) {
      assert.notEqual(translation.trim(), '', `${locale}: ${message}`);
      assert.deepEqual(placeholdersOf(translation), placeholdersOf(message), `${locale}: ${message}`);
    }
  }
});
