import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteList } from './byte-list.ts';

test('single bytes share blocks, and the order of bytes is kept', () => {
  const list = new ByteList();
  const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251);
  for (let offset = 0; offset < bytes.length; offset += 1) list.append(bytes.subarray(offset, offset + 1));
  assert.equal(list.length, bytes.length);
  const { blocks, length } = list.clear();
  assert.equal(length, bytes.length);
  assert.ok(blocks.length <= 4);
  assert.deepEqual(new Uint8Array(Buffer.concat(blocks)), bytes);
});

test('bytes that are inserted at the start come before bytes that were appended later', () => {
  const list = new ByteList();
  list.append(Uint8Array.of(1, 2));
  const { blocks } = list.clear();
  list.append(Uint8Array.of(3));
  list.prepend(blocks);
  list.append(Uint8Array.of(4));
  assert.equal(list.length, 4);
  assert.deepEqual([...Buffer.concat(list.clear().blocks)], [1, 2, 3, 4]);
});
