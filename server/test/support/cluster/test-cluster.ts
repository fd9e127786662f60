import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '../../../src/config/secret.ts';
import type { S3Location } from '../../../src/infrastructure/files/s3-bucket.ts';
import type { TestServer, TestServerOptions } from '../servers/http-server.ts';
import { DATABASE_KINDS, type TestDatabase } from '../sql/databases.ts';
import { ScriptedTranscription } from '../workers/scripted-transcription.ts';
import { ToneSpeech } from '../workers/tone-speech.ts';
import { startBalancer } from './balancer.ts';

/** Databases by data folder: a test that starts a server again on a folder finds its database. */
const databases = new Map<string, TestDatabase>();

/** Several servers on one PostgreSQL database, one data folder or bucket, and one source of speech. */
export async function startTestCluster(
  count: number,
  options: TestServerOptions,
  start: (options: TestServerOptions, speech: ToneSpeech) => Promise<TestServer>,
): Promise<TestServer> {
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'mynah-http-')));
  const database =
    databases.get(dataFolder) ?? (await DATABASE_KINDS.find(({ name }) => name === 'PostgreSQL')?.create());
  if (database === undefined) throw new Error('PostgreSQL is not installed.');
  databases.set(dataFolder, database);
  const config = {
    ...options.config,
    databaseUrl: new Secret(database.address),
    ...bucketSettings(dataFolder),
  };
  const parts = {
    ...options,
    config,
    dataFolder,
    transcription: options.transcription ?? new ScriptedTranscription(),
  };
  const speech = new ToneSpeech();
  const servers: TestServer[] = [];
  for (let index = 0; index < count; index += 1) servers.push(await start(parts, speech));
  const [first] = servers;
  if (first === undefined) throw new Error('A cluster needs at least one server.');
  const balancer = await startBalancer(servers.map(({ url }) => Number(new URL(url).port)));
  let calls = 0;
  // Requests of one client share a connection, so they alternate here, and connections alternate in the balancer.
  const call = (path: string, init: RequestInit = {}) =>
    fetch((servers[calls++ % count] ?? first).url + path, {
      ...init,
      headers: { authorization: `Bearer ${first.key}`, ...init.headers },
    });
  return {
    ...first,
    url: balancer.url,
    call,
    speak: (body, headers = {}) =>
      call('/v1/tts', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async close(drainSeconds) {
      balancer.stopAccepting();
      await Promise.all(servers.map((server) => server.close(drainSeconds)));
      balancer.close();
      if (options.dataFolder !== undefined) return;
      databases.delete(dataFolder);
      await database.remove();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** The bucket of `MYNAH_TEST_BUCKET` (JSON, an `S3Location`), with a prefix of its own. */
function bucketSettings(dataFolder: string) {
  const given = process.env.MYNAH_TEST_BUCKET;
  if (given === undefined) return {};
  const location = JSON.parse(given) as S3Location;
  return {
    filesUrl: { ...location, prefix: `${dataFolder.replaceAll(/[^\w-]/g, '-')}/` },
    filesAccessKey: new Secret(location.accessKey),
    filesSecretKey: new Secret(location.secretKey),
  };
}
