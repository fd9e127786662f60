import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Packable, pack, unpack } from './msgpack.ts';

const VALUES: readonly Packable[] = [
  null,
  true,
  false,
  0,
  127,
  128,
  -1,
  -40_000,
  2 ** 31,
  -(2 ** 40),
  1.5,
  '',
  'héllo',
  'x'.repeat(31),
  'x'.repeat(32),
  'x'.repeat(70_000),
  new Uint8Array(0),
  new Uint8Array(70_000).fill(7),
  [],
  Array.from({ length: 40 }, (_, index) => index),
  { event: 'start', request: { text: '', nested: [{ a: null }] } },
  Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key ${index}`, index])),
];

for (const value of VALUES) {
  const shown = JSON.stringify(value)?.slice(0, 40);
  test(`round trip: ${shown}`, () => {
    assert.deepEqual(unpack(pack(value)), value);
  });
}

test('undefined is omitted from maps', () => {
  assert.deepEqual(unpack(pack({ a: 1, b: undefined })), { a: 1 });
});

// Encodings that other encoders use.
const FOREIGN: readonly (readonly [string, readonly number[], unknown])[] = [
  ['a negative fixint', [0xff], -1],
  ['uint 8', [0xcc, 0xc8], 200],
  ['uint 16', [0xcd, 0x01, 0x00], 256],
  ['uint 64', [0xcf, 0, 0, 0, 1, 0, 0, 0, 0], 2 ** 32],
  ['int 8', [0xd0, 0x80], -128],
  ['int 16', [0xd1, 0xff, 0x00], -256],
  ['float 32', [0xca, 0x3f, 0xc0, 0, 0], 1.5],
  ['str 8', [0xd9, 2, 0x68, 0x69], 'hi'],
  ['bin 8', [0xc4, 1, 9], Uint8Array.of(9)],
  ['array 16', [0xdc, 0, 1, 5], [5]],
  ['map 16', [0xde, 0, 1, 0xa1, 0x61, 5], { a: 5 }],
];

for (const [what, bytes, value] of FOREIGN) {
  test(`${what} is decoded`, () => assert.deepEqual(unpack(Uint8Array.from(bytes)), value));
}

test('truncated data is rejected', () => {
  const whole = pack({ event: 'audio', audio: new Uint8Array(100), text: 'hello' });
  for (let length = 0; length < whole.length; length++) {
    assert.throws(() => unpack(whole.subarray(0, length)), RangeError);
  }
});
