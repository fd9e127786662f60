import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Packr, pack } from 'msgpackr';
import { ApiError } from '../../errors.ts';
import { decodeMsgpack } from './decode-msgpack.ts';
import { DEPTH_MAX, VALUES_MAX } from './value-limits.ts';

const codeOf = (bytes: Uint8Array) => {
  try {
    decodeMsgpack(Buffer.from(bytes));
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error.code;
  }
};

test('every value of JSON, bytes, undefined, dates and 64-bit integers are decoded', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      // The decoder renames this key; see below.
      fc.pre(!JSON.stringify(value).includes('__proto__'));
      assert.deepEqual(decodeMsgpack(pack(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
  const bytes = Buffer.alloc(70_000, 7);
  assert.deepEqual(decodeMsgpack(pack({ bytes })), { bytes });
  assert.deepEqual(decodeMsgpack(pack({ missing: undefined })), { missing: undefined });
  const date = new Date(1_700_000_000_000);
  assert.deepEqual(decodeMsgpack(pack({ date })), { date });
  assert.deepEqual(decodeMsgpack(pack({ big: 2n ** 60n })), { big: 2 ** 60 });
});

test('a key "__proto__" sets no prototype', () => {
  const decoded = decodeMsgpack(pack(JSON.parse('{"__proto__": {"isInjected": true}}'))) as object;
  assert.equal(Object.getPrototypeOf(decoded), Object.prototype);
  assert.ok(!('isInjected' in decoded));
});

test('extensions that make BigInts, cyclic objects and other types are rejected', () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const packr = new Packr({ structuredClone: true, moreTypes: true, useRecords: false });
  const values = [cyclic, { set: new Set([1]) }, { error: new Error('x') }, { pattern: /x/ }];
  for (const value of values) assert.equal(codeOf(packr.pack(value)), 'invalid_body');
  // A BigInt of 9 bytes, the extension 0x42 of msgpackr.
  assert.equal(codeOf(Buffer.from([0xc7, 9, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9])), 'invalid_body');
  for (const type of [0x69, 0x70, 0x72, 0x74, 0x78, 0x65, 0x53, 1, -1, -2]) {
    assert.equal(codeOf(Buffer.from([0xd4, type & 0xff, 0])), 'invalid_body');
  }
});

test('depth and number of values are limited', () => {
  const nested = (depth: number) => Buffer.concat([Buffer.alloc(depth, 0x91), Buffer.of(0xc0)]);
  assert.equal(codeOf(nested(DEPTH_MAX)), undefined);
  assert.equal(codeOf(nested(DEPTH_MAX + 1)), 'invalid_body');
  const list = (length: number) => {
    const head = Buffer.of(0xdd, 0, 0, 0, 0);
    head.writeUInt32BE(length, 1);
    return Buffer.concat([head, Buffer.alloc(length, 0xc0)]);
  };
  assert.equal(codeOf(list(VALUES_MAX - 1)), undefined);
  assert.equal(codeOf(list(VALUES_MAX)), 'body_too_large');
  assert.equal(codeOf(Buffer.of(0xdf, 0xff, 0xff, 0xff, 0xff)), 'body_too_large');
});

test('truncated, empty and malformed bytes are rejected', () => {
  const whole = pack({ text: 'hello', list: [1, 2.5, Buffer.alloc(300)] });
  for (let length = 0; length < whole.length; length++) {
    assert.equal(codeOf(whole.subarray(0, length)), 'invalid_body');
  }
  assert.equal(codeOf(Buffer.of(0xc1)), 'invalid_body');
  assert.equal(codeOf(Buffer.concat([whole, whole])), 'invalid_body');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      assert.ok([undefined, 'invalid_body', 'body_too_large'].includes(codeOf(bytes)));
    }),
  );
});
