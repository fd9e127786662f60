import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseSubprotocol, keyFromSubprotocols } from './subprotocols.ts';

const OFFERS: readonly (readonly [string | undefined, string | undefined, string | false])[] = [
  [undefined, undefined, false],
  ['mynah, mynah.key.abc', 'abc', 'mynah'],
  ['mynah.key.abc,mynah', 'abc', 'mynah'],
  ['realtime, openai-insecure-api-key.abc, openai-beta.realtime-v1', 'abc', 'realtime'],
  ['mynah.key.abc', 'abc', false],
  ['chat', undefined, 'chat'],
];

for (const [header, key, selected] of OFFERS) {
  test(`of ${header ?? 'no'} subprotocols the key is ${key ?? 'absent'} and ${selected || 'none'} is selected`, () => {
    assert.equal(keyFromSubprotocols(header), key);
    assert.equal(chooseSubprotocol(new Set(header?.split(/, */) ?? [])), selected);
  });
}
