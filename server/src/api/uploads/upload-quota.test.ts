import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UploadQuota } from './upload-quota.ts';

const quota = (max: number, maxBytes: number) =>
  new UploadQuota({ accountUploadsMax: max, accountUploadsMaxBytes: maxBytes });
const refused = { code: 'too_many_uploads' };

test('the number of uploads is limited per account', () => {
  const uploads = quota(2, 1000);
  const first = uploads.open('ada');
  uploads.open('ada');
  assert.throws(() => uploads.open('ada'), refused);
  uploads.open('eve');
  first.close();
  first.close();
  uploads.open('ada');
  assert.throws(() => uploads.open('ada'), refused);
});

test('the bytes of all uploads of an account are limited together', () => {
  const uploads = quota(9, 100);
  const first = uploads.open('ada');
  first.add(60);
  const second = uploads.open('ada');
  second.add(40);
  assert.throws(() => second.add(1), refused);
  uploads.open('eve').add(100);
  second.close();
  uploads.open('ada').add(40);
});

test('a single upload is not limited by the quota', () => {
  const uploads = quota(9, 100);
  const only = uploads.open('ada');
  only.add(1000);
  const second = uploads.open('ada');
  assert.throws(() => second.add(1), refused);
  second.close();
  only.add(1000);
});
