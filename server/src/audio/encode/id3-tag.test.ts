import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildId3Tag } from './id3-tag.ts';

test('an ID3 tag has a table of contents and the times of its chapters', () => {
  const chapters = [
    { title: 'One', startSeconds: 0, endSeconds: 1.5 },
    { title: 'Zwö', startSeconds: 1.5, endSeconds: 70_000 },
  ];
  const tag = Buffer.from(buildId3Tag({ title: 'Book', author: 'Ann', chapters }));
  assert.equal(tag.subarray(0, 4).toString('latin1'), 'ID3\x04');
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + tag[at]!, 0);
  assert.equal(tag.length, 10 + size);
  const second = tag.lastIndexOf('CHAP');
  assert.equal(tag.subarray(second + 10, second + 15).toString('latin1'), 'chp1\0');
  assert.equal(tag.readUInt32BE(second + 15), 1500);
  assert.equal(tag.readUInt32BE(second + 19), 70_000_000);
  assert.ok(tag.subarray(second).includes(Buffer.from('Zwö')));
  const contents = tag.indexOf('CTOC');
  assert.deepEqual([...tag.subarray(contents + 14, contents + 16)], [0b11, 2]);
});

test('more chapters than a table of contents can count are listed without one', () => {
  const chapters = Array.from({ length: 300 }, (_, index) => ({
    title: `${index}`,
    startSeconds: index,
    endSeconds: index + 1,
  }));
  const tag = Buffer.from(buildId3Tag({ title: 'Book', author: undefined, chapters }));
  assert.equal(tag.indexOf('CTOC'), -1);
  assert.equal(tag.toString('latin1').split('CHAP').length, 301);
});
