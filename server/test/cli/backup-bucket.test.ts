import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { S3Bucket } from '../../src/infrastructure/files/s3-bucket.ts';
import { openDatabase } from '../../src/infrastructure/sql/database.ts';
import { runMynahInProcess } from '../support/servers/command-line.ts';
import { skipWithout } from '../support/servers/missing-program.ts';
import { type PrivateS3, privateS3 } from '../support/servers/s3-server.ts';

const root = mkdtempSync(join(tmpdir(), 'mynah-backup-bucket-'));
after(() => rm(root, { recursive: true, force: true }));

/** One file above the size of a part of an upload, and one recording of a queued job. */
const OBJECTS = {
  'files/voice/sample-1': randomBytes(9 * 2 ** 20),
  'files/voice/cover': Buffer.from('cover'),
  'uploads/job-1': Buffer.from('recording'),
};

/** A bucket of its own, as a prefix of the one of the server. */
function newBucket({ location, url }: PrivateS3) {
  const prefix = randomUUID();
  const env = {
    MYNAH_FILES_URL: url.replace('?', `/${prefix}?`),
    MYNAH_FILES_ACCESS_KEY: location.accessKey,
    MYNAH_FILES_SECRET_KEY: location.secretKey,
  };
  return { bucket: new S3Bucket({ ...location, prefix: `${prefix}/` }), env };
}

async function readObjects(bucket: S3Bucket): Promise<Record<string, Buffer>> {
  const objects: Record<string, Buffer> = {};
  for await (const name of bucket.listAll('')) {
    const content = await bucket.get(name);
    objects[name] = content ? await buffer(content) : assert.fail(name);
  }
  return objects;
}

test('a backup holds the files of a bucket, and is restored into another bucket or into a data folder', async (context) => {
  const s3 = await privateS3();
  if (s3 === undefined) return skipWithout('s3', context, 'The S3 server cannot be installed.');
  const source = newBucket(s3);
  for (const [name, content] of Object.entries(OBJECTS)) await source.bucket.put(name, content);
  await source.bucket.put('other-program/file', Buffer.from('not ours'));
  const data = join(root, 'data');
  await (await openDatabase(join(data, 'mynah.db'))).destroy();
  // Left from a time without a bucket, and a copy of an object.
  for (const name of ['files/voice/sample-1', 'cache/files/copy']) {
    await mkdir(join(data, name, '..'), { recursive: true });
    await writeFile(join(data, name), 'old');
  }

  const file = join(root, 'backup.tar');
  const made = await runMynahInProcess(['backup', file, '--json'], { MYNAH_DATA: data, ...source.env });
  assert.equal(made.status, 0, made.stderr);
  assert.equal(JSON.parse(made.stdout.toString()).files, 4);

  const target = newBucket(s3);
  const restore = (folder: string, env: Record<string, string>, ...args: string[]) =>
    runMynahInProcess(['restore', file, ...args], { MYNAH_DATA: join(root, folder), ...env });
  const restored = await restore('with-bucket', target.env);
  assert.equal(restored.status, 0, restored.stderr);
  assert.deepEqual(await readObjects(target.bucket), OBJECTS);
  assert.deepEqual((await readdir(join(root, 'with-bucket'))).sort(), ['mynah.db', 'uploads']);

  const refused = await restore('refused', target.env);
  assert.deepEqual([refused.status, /\(bucket_not_empty\)/.test(refused.stderr)], [1, true]);
  assert.equal((await restore('replaced', target.env, '--replace')).status, 0);

  assert.equal((await restore('without-bucket', {})).status, 0);
  const folder = join(root, 'without-bucket');
  assert.deepEqual(await readFile(join(folder, 'files/voice/sample-1')), OBJECTS['files/voice/sample-1']);
  assert.deepEqual(await readFile(join(folder, 'uploads/kept/job-1')), OBJECTS['uploads/job-1']);
});
