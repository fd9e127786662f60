import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Secret } from '../../../src/config/secret.ts';
import { form, RECORDING } from '../../support/calls/voice-forms.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { until } from '../../support/servers/real-server.ts';
import { privateS3 } from '../../support/servers/s3-server.ts';
import { DATABASE_KINDS } from '../../support/sql/databases.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

/** Two servers on one database and bucket, with data folders of their own. */
async function withTwoServers(
  context: TestContext,
  work: (servers: readonly [TestServer, TestServer]) => Promise<void>,
): Promise<void> {
  const database = await DATABASE_KINDS.find(({ name }) => name === 'PostgreSQL')?.create();
  if (database === undefined) return skipWithout('postgres', context, 'PostgreSQL is not installed.');
  const location = (await privateS3())?.location;
  if (location === undefined) return skipWithout('s3', context, 'The S3 server cannot be installed.');
  const root = await mkdtemp(join(tmpdir(), 'mynah-copies-'));
  const config = {
    databaseUrl: new Secret(database.address),
    filesUrl: { ...location, prefix: `${basename(root)}/` },
    filesAccessKey: new Secret(location.accessKey),
    filesSecretKey: new Secret(location.secretKey),
  };
  const start = (name: string) =>
    startTestServer({ dataFolder: join(root, name), config, voices: { cloner: new RecordingCloner() } });
  for (const name of ['one', 'two']) await mkdir(join(root, name));
  const one = await start('one');
  await copyFile(join(root, 'one', 'first-key'), join(root, 'two', 'first-key'));
  const two = await start('two');
  try {
    await work([one, two]);
  } finally {
    for (const server of [one, two]) await server.close();
    await database.remove();
    await rm(root, { recursive: true, force: true });
  }
}

async function copies({ dataFolder }: TestServer, folder: 'files' | 'audiobooks'): Promise<number> {
  return (await readdir(join(dataFolder, 'cache', folder)).catch(() => [])).length;
}

test('the recordings of a deleted voice are removed from every server', (context) =>
  withTwoServers(context, async ([one, two]) => {
    const body = form({ title: 'Ada', voices: RECORDING });
    const made = await one.call('/model', { method: 'POST', body });
    const { _id: id } = (await made.json()) as { _id: string };
    for (const server of [one, two]) {
      const sample = await server.call(`/model/${id}/samples/0`);
      assert.deepEqual(Buffer.from(await sample.arrayBuffer()), RECORDING);
      assert.ok((await copies(server, 'files')) > 0);
    }
    assert.equal((await one.call(`/model/${id}`, { method: 'DELETE' })).status, 204);
    assert.equal(await copies(one, 'files'), 0);
    await until('the other server removes its copy', async () => (await copies(two, 'files')) === 0);
    assert.deepEqual(await one.storedFiles.list(), []);
  }));

test('an audiobook that is deleted at another server than the one that speaks it leaves no files', (context) =>
  withTwoServers(context, async ([one, two]) => {
    for (const { speech } of [one, two]) speech.pauseAfterChunks = 3;
    const submitted = await one.call('/v1/tts/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'One sentence of the book. '.repeat(50) }),
    });
    const { id } = (await submitted.json()) as { id: string };
    await until('it is spoken', () => one.speech.active + two.speech.active > 0);
    const idle = one.speech.active > 0 ? two : one;
    assert.equal((await idle.call(`/v1/tts/jobs/${id}`, { method: 'DELETE' })).status, 204);
    await until('the speech stops', () => one.speech.active + two.speech.active === 0);
    await until('no file is left', async () => (await one.storedFiles.list()).length === 0);
    for (const server of [one, two])
      await until('no copy is left', async () => (await copies(server, 'audiobooks')) === 0);
  }));
