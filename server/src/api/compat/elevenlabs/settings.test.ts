import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toLanguageTag } from './settings.ts';

const CODES = [
  ['eng', 'en'],
  ['pt_br', 'pt_br'],
  ['pt-br', 'pt-BR'],
  ['', undefined],
  [null, undefined],
] as const;
for (const [code, tag] of CODES) {
  test(`the language code ${JSON.stringify(code)} is the tag ${tag}`, () =>
    assert.equal(toLanguageTag(code), tag));
}

test('a long language code is read up to a limit', () => {
  // 8 MB of attributes take `Intl` hours.
  const attributes = Array.from({ length: 1_000_000 }, (_, index) => index.toString(36).padStart(5, 'a'));
  const tag = toLanguageTag(`en-u-${attributes.join('-')}`);
  assert.ok(tag?.startsWith('en-') && tag.length <= 100, tag?.slice(0, 100));
});
