import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonDepth } from './json-depth.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('jsonDepth equals the nesting depth of any JSON value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(2), (value, indent) => {
      assert.equal(jsonDepth(Buffer.from(JSON.stringify(value, null, indent))), depthOf(value));
    }),
  );
});

test('brackets inside strings are ignored, also after escaped quotes', () => {
  assert.equal(jsonDepth(Buffer.from(JSON.stringify(['"[[[[', '\\\\"[[', '\\\\\\']))), 1);
  assert.equal(jsonDepth(Buffer.from('["[[[')), 1);
});
