import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../src/config/config.ts';
import { Secret } from '../../../src/config/secret.ts';
import type { TranscriptionJobs } from '../../../src/domain/transcription/transcription-jobs.ts';
import type { S3Location } from '../../../src/infrastructure/files/s3-bucket.ts';
import type { TestServer, TestServerOptions } from '../servers/http-server.ts';
import { privateS3 } from '../servers/s3-server.ts';
import { DATABASE_KINDS, type TestDatabase } from '../sql/databases.ts';
import { ScriptedTranscription } from '../workers/scripted-transcription.ts';
import type { ToneSource } from '../workers/tone-source.ts';
import { ToneSpeech } from '../workers/tone-speech.ts';
import { inTurn, startBalancer } from './balancer.ts';
import { dispatcherTo } from './dispatcher-to.ts';
import { openRemoteTone } from './remote-tone.ts';

/** Databases by data folder: a test that starts a server again on a folder finds its database. */
const databases = new Map<string, TestDatabase>();

/**
 * Several servers on one PostgreSQL database, with one record of the speech that was requested. As a cluster they have a
 * bucket, a data folder each, and remote workers; otherwise they share a data folder.
 */
export async function startTestCluster(
  { count, isCluster }: { readonly count: number; readonly isCluster: boolean },
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
    ...localLimits(options.config, count),
    databaseUrl: new Secret(database.address),
    ...(await bucketSettings(dataFolder, isCluster)),
  };
  const parts = {
    ...options,
    transcription: options.transcription ?? new ScriptedTranscription(),
  };
  const remote = isCluster ? await openRemoteTone(count) : undefined;
  const speech = new ToneSpeech(remote && sourceOf(remote.sources));
  const servers: TestServer[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index === 0 || !isCluster) {
      servers.push(await start({ ...parts, config, dataFolder }, speech));
      continue;
    }
    const name = `gateway-${index + 1}`;
    const ownFolder = join(dataFolder, name);
    await mkdir(ownFolder, { recursive: true });
    // The first gateway has written the key of the cluster.
    await copyFile(join(dataFolder, 'first-key'), join(ownFolder, 'first-key'));
    // Below the folder of the first gateway, where tests count the files of uploads.
    const ownConfig = { ...config, uploadsFolder: join(dataFolder, 'uploads', name) };
    servers.push(await start({ ...parts, config: ownConfig, dataFolder: ownFolder }, speech));
  }
  const [first] = servers;
  if (first === undefined) throw new Error('A cluster needs at least one server.');
  const ports = servers.map((server) => Number(new URL(server.url).port));
  const balancer = await startBalancer(ports);
  // The balancer forwards TLS as it is.
  const url = balancer.url.replace(/^http:/, new URL(first.url).protocol);
  // Connections alternate in the balancer. Requests of one client share a connection, so they alternate here, with the host
  // of the balancer.
  const dispatchers = await Promise.all(ports.map(dispatcherTo));
  const nextDispatcher = inTurn(dispatchers);
  const call = (path: string, init: RequestInit = {}) =>
    fetch(url + path, {
      ...init,
      dispatcher: nextDispatcher(),
      headers: { authorization: `Bearer ${first.key}`, ...init.headers },
    });
  return {
    ...first,
    url,
    jobs: closingAll(servers.map(({ jobs }) => jobs)),
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
      for (const dispatcher of dispatchers) await dispatcher.destroy();
      await remote?.close();
      if (options.dataFolder !== undefined) return;
      databases.delete(dataFolder);
      await database.remove();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** The part of each server in limits that a server has for itself: together they have what a test asks for. */
function localLimits(
  { startingMax, liveAccountMaxBytes }: Partial<Config> = {},
  count: number,
): Partial<Config> {
  return {
    ...(startingMax !== undefined && { startingMax: Math.ceil(startingMax / count) }),
    ...(liveAccountMaxBytes !== undefined && { liveAccountMaxBytes: Math.ceil(liveAccountMaxBytes / count) }),
  };
}

/** Requests alternate between the gateways; which one serves a request is not known to the source of its speech. */
function sourceOf(sources: readonly ToneSource[]): ToneSource {
  let next = 0;
  return (...given) => sources[next++ % sources.length]!(...given);
}

/** The jobs of the first server, whose `close` stops the jobs of all. */
function closingAll(all: readonly TranscriptionJobs[]): TranscriptionJobs {
  return new Proxy(all[0]!, {
    get: (first, name) => {
      if (name === 'close') return () => Promise.all(all.map((jobs) => jobs.close()));
      const value: unknown = Reflect.get(first, name, first);
      return typeof value === 'function' ? value.bind(first) : value;
    },
  });
}

/** The bucket of `MYNAH_TEST_BUCKET` (JSON, an `S3Location`), or a private one for a cluster, with a prefix of its own. */
async function bucketSettings(dataFolder: string, isCluster: boolean) {
  const given = process.env.MYNAH_TEST_BUCKET;
  if (given === undefined && !isCluster) return {};
  const location = given === undefined ? (await privateS3())?.location : (JSON.parse(given) as S3Location);
  if (location === undefined) throw new Error('The S3 server cannot be installed.');
  return {
    filesUrl: { ...location, prefix: `${dataFolder.replaceAll(/[^\w-]/g, '-')}/` },
    filesAccessKey: new Secret(location.accessKey),
    filesSecretKey: new Secret(location.secretKey),
  };
}
