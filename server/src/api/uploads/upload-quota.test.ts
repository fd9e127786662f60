import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UploadQuota } from './upload-quota.ts';

const quota = (max: number, maxBytes: number) =>
  new UploadQuota({ accountUploadsMax: max, accountUploadsMaxBytes: maxBytes });
const refused = { code: 'too_many_uploads' };

test('the number of uploads is limited per account', async () => {
  const uploads = quota(2, 1000);
  const first = await uploads.open('ada');
  await uploads.open('ada');
  await assert.rejects(uploads.open('ada'), refused);
  await uploads.open('eve');
  first.close();
  first.close();
  await uploads.open('ada');
  await assert.rejects(uploads.open('ada'), refused);
});

test('the bytes of all uploads of an account are limited together', async () => {
  const uploads = quota(9, 100);
  const first = await uploads.open('ada');
  first.add(60);
  const second = await uploads.open('ada');
  second.add(40);
  assert.throws(() => second.add(1), refused);
  (await uploads.open('eve')).add(100);
  second.close();
  (await uploads.open('ada')).add(40);
});

test('a single upload is not limited by the quota', async () => {
  const uploads = quota(9, 100);
  const only = await uploads.open('ada');
  only.add(1000);
  const second = await uploads.open('ada');
  assert.throws(() => second.add(1), refused);
  second.close();
  only.add(1000);
});
