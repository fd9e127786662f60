import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../errors.ts';
import { parseJson } from './parse-json.ts';
import { DEPTH_MAX, VALUES_MAX } from './value-limits.ts';

const codeOf = (json: string, valuesLeft?: number) => {
  try {
    parseJson(Buffer.from(json), valuesLeft === undefined ? undefined : { valuesLeft });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error.code;
  }
};
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** The number of values. The limit counts an empty list or map twice. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const keys = Array.isArray(value) ? 0 : Object.keys(value).length;
  return 1 + keys + Object.values(value).reduce<number>((sum, item) => sum + countValues(item), 0);
}

test('JSON within the limits is parsed', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      assert.deepEqual(parseJson(Buffer.from(text)), JSON.parse(text));
    }),
  );
});

test('the number of values is limited', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = JSON.stringify(value);
      assert.equal(codeOf(text, 2 * countValues(JSON.parse(text))), undefined);
    }),
  );
  assert.equal(codeOf('[1,2,3]', 4), undefined);
  assert.equal(codeOf('[1,2,3]', 3), 'body_too_large');
  const keys = Array.from({ length: VALUES_MAX / 2 }, (_, index) => `"${index}":0`);
  assert.equal(codeOf(`{${keys.join()}}`), 'body_too_large');
  assert.equal(codeOf(`[${'[],'.repeat(VALUES_MAX)}0]`), 'body_too_large');
  assert.equal(codeOf(`[${'0,'.repeat(VALUES_MAX)}0]`), 'body_too_large');
});

test('several values can share a budget', () => {
  const budget = { valuesLeft: 7 };
  parseJson(Buffer.from('[1,2,3]'), budget);
  parseJson(Buffer.from('[1,2]'), budget);
  assert.throws(() => parseJson(Buffer.from('[1]'), budget), { code: 'body_too_large' });
});

test('the bytes of a Buffer are one value, other numbers are not', () => {
  const bytes = `[${Array.from({ length: VALUES_MAX }, (_, index) => index % 256).join(', ')}]`;
  assert.equal(codeOf(`{"type": "Buffer", "data" : ${bytes}}`), undefined);
  assert.equal(codeOf(`{"type": "Buffer", "other": ${bytes}}`), 'body_too_large');
  assert.equal(codeOf(`{"data": [1, ${'"x",'.repeat(VALUES_MAX)} 1]}`), 'body_too_large');
});

test('the depth is limited; brackets inside strings are ignored, also after escaped quotes', () => {
  assert.equal(codeOf(nested(DEPTH_MAX)), undefined);
  assert.equal(codeOf(nested(DEPTH_MAX + 1)), 'invalid_body');
  assert.equal(codeOf(`["${'['.repeat(100)}"]`), undefined);
  assert.equal(
    codeOf(JSON.stringify([`"${'['.repeat(100)}`, `\\\\"${'['.repeat(100)}`, '\\\\\\'])),
    undefined,
  );
});

test('malformed JSON is rejected', () => {
  for (const json of ['', '{', '["[[[', '{"data":[1,2', '{"data":[-1,]}', 'nul', '[1]]']) {
    assert.equal(codeOf(json), 'invalid_body', json);
  }
});
