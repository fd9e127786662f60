import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowedOrigin } from './allowed-origin.ts';

const CASES: readonly (readonly [string | undefined, readonly string[], boolean])[] = [
  [undefined, [], true],
  ['http://voice.local:8080', [], true],
  ['https://VOICE.local:8080', [], true],
  ['http://voice.local', [], false],
  ['http://evil.example', [], false],
  ['http://voice.local:8080.evil.example', [], false],
  ['null', [], false],
  ['', [], false],
  ['http://app.example', ['http://app.example'], true],
  ['https://app.example', ['http://app.example'], false],
  ['null', ['*'], true],
];
for (const [origin, allowed, expected] of CASES) {
  test(`origin ${origin} is ${expected ? 'allowed' : 'refused'} with the list [${allowed}]`, () => {
    assert.equal(isAllowedOrigin(origin, { host: 'voice.local:8080', allowed }), expected);
  });
}
