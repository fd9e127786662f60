import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { UploadStore } from '../../../src/domain/transcription/upload-store.ts';
import type { FileStore } from '../../../src/domain/voices/file-store.ts';
import { FileCache } from '../../../src/infrastructure/files/file-cache.ts';
import { FolderFileStore } from '../../../src/infrastructure/files/folder-file-store.ts';
import { S3Bucket } from '../../../src/infrastructure/files/s3-bucket.ts';
import { S3FileStore } from '../../../src/infrastructure/files/s3-file-store.ts';
import { S3UploadStore } from '../../../src/infrastructure/files/s3-upload-store.ts';
import { UploadFolder } from '../../../src/infrastructure/files/upload-folder.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { privateS3 } from '../../support/servers/s3-server.ts';

interface Stores {
  readonly files: FileStore;
  /** A second server on the same files. */
  readonly elsewhere: FileStore;
  readonly uploads: UploadStore;
  readonly uploadsElsewhere: UploadStore;
}

/** Runs a test on the stores of a folder, and on those of an S3 server. */
function testOnEachStore(name: string, work: (stores: Stores) => Promise<void>): void {
  test(`folder: ${name}`, () =>
    inTemporaryFolder(async (folder) => {
      const files = new FolderFileStore(join(folder, 'files'));
      const uploads = await UploadFolder.open(join(folder, 'uploads'));
      await work({ files, elsewhere: files, uploads, uploadsElsewhere: uploads });
    }));
  test(`S3: ${name}`, (context) =>
    inTemporaryFolder(async (folder) => {
      const bucket = await openBucket(context);
      if (bucket === undefined) return;
      const filesOf = (server: string) =>
        new S3FileStore(bucket, new FileCache(join(folder, server, 'cache'), 100e6));
      const uploadsOf = async (server: string) =>
        new S3UploadStore(bucket, await UploadFolder.open(join(folder, server, 'uploads')));
      await work({
        files: filesOf('one'),
        elsewhere: filesOf('two'),
        uploads: await uploadsOf('one'),
        uploadsElsewhere: await uploadsOf('two'),
      });
    }));
}

/** A part of the bucket for one test. */
async function openBucket(context: TestContext): Promise<S3Bucket | undefined> {
  const server = await privateS3();
  if (server === undefined) {
    skipWithout('s3', context, 'The S3 server cannot be installed.');
    return undefined;
  }
  return new S3Bucket({ ...server.location, prefix: `${randomUUID()}/` });
}

async function inTemporaryFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-stores-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const textOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();

testOnEachStore('a file is read as it was written, by every server', async ({ files, elsewhere }) => {
  await files.write('voices/a1/cover', Buffer.from('one'));
  assert.equal(textOf(await elsewhere.read('voices/a1/cover')), 'one');
  await files.write('voices/a1/cover', chunksOf(Buffer.from('two'), 1));
  assert.equal(textOf(await elsewhere.read('voices/a1/cover')), 'two');
  assert.equal(await files.read('voices/a1/none'), undefined);
  assert.equal(await files.locate('voices/a1/none'), undefined);
  const path = await elsewhere.locate('voices/a1/cover');
  assert.equal(await readFile(path ?? '', 'utf8'), 'two');
});

testOnEachStore('a large file is stored in parts and equals its source', async ({ files, elsewhere }) => {
  const bytes = randomBytes(20 * 2 ** 20 + 17);
  await files.write('voices/b1/sample-0', chunksOf(bytes, 65_536));
  const read = await elsewhere.read('voices/b1/sample-0');
  assert.ok(bytes.equals(read ?? Buffer.alloc(0)));
});

testOnEachStore('removing a folder removes its files and no others', async ({ files, elsewhere }) => {
  for (const name of ['voices/c1/sample-0', 'voices/c1/cover', 'voices/c12/cover'])
    await files.write(name, Buffer.from(name));
  await elsewhere.read('voices/c1/cover');
  await files.remove('voices/c1');
  await files.remove('voices/c1');
  assert.equal(await files.read('voices/c1/sample-0'), undefined);
  assert.equal(await elsewhere.read('voices/c1/cover'), undefined);
  assert.equal(textOf(await files.read('voices/c12/cover')), 'voices/c12/cover');
});

testOnEachStore('copies of removed files are removed on every server', async ({ files, elsewhere }) => {
  const names = ['voices/e1/sample-0', 'voices/e1/cover', 'voices/e12/cover', 'voices/e3/cover'];
  for (const name of names) await files.write(name, Buffer.from(name));
  const copies = await Promise.all(names.map((name) => elsewhere.locate(name)));
  const left = async () => {
    const found = await Promise.all(copies.map((path) => stat(path!).catch(() => undefined)));
    return found.map((facts) => facts !== undefined).join(' ');
  };
  await files.remove('voices/e1');
  await elsewhere.forget('voices/e1');
  assert.equal(await left(), 'false false true true');
  await files.remove('voices/e3');
  await elsewhere.forgetRemoved();
  assert.equal(await left(), 'false false true false');
});

testOnEachStore('a write that fails leaves the earlier file', async ({ files }) => {
  await files.write('voices/d1/cover', Buffer.from('complete'));
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(9 * 2 ** 20);
    throw new Error('The upload was cut.');
  }
  await assert.rejects(files.write('voices/d1/cover', failing()), /cut/);
  assert.equal(textOf(await files.read('voices/d1/cover')), 'complete');
});

testOnEachStore('a name outside of the store is refused', async ({ files }) => {
  for (const name of ['../x', 'a/../../x', '/etc/passwd', 'a//b', '', '.', 'a/.', 'a\0b']) {
    await assert.rejects(files.read(name), RangeError, name);
    await assert.rejects(files.write(name, Buffer.from('')), RangeError, name);
    await assert.rejects(files.remove(name), RangeError, name);
  }
});

testOnEachStore('a stored upload is opened by every server until it is discarded', async (stores) => {
  const { uploads, uploadsElsewhere } = stores;
  const [stored, removed] = [await uploads.create(), await uploads.create()];
  const bytes = randomBytes(9 * 2 ** 20);
  for (const { path } of [stored, removed]) await writeFile(path, bytes);
  await stored.store('asr_1');
  for (const upload of [stored, removed]) await upload.remove();
  const recording = await uploadsElsewhere.openLocal('asr_1');
  assert.ok(bytes.equals(await readFile(recording.path)));
  await recording.release();
  const listed = await uploadsElsewhere.listStored();
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['asr_1'],
  );
  assert.ok(Math.abs((listed[0]?.storedAtMs ?? 0) - Date.now()) < 3_600_000);
  await uploadsElsewhere.discard('asr_1');
  await uploadsElsewhere.discard('asr_1');
  assert.deepEqual(await uploads.listStored(), []);
});

/** A server that answers as `answer` says; counts the requests. */
async function startFaultyServer(answer: (request: number) => number | 'cut') {
  const facts = { requests: 0 };
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      facts.requests += 1;
      const status = answer(facts.requests);
      if (status === 'cut') response.destroy();
      else response.writeHead(status, { etag: '"1"', 'last-modified': new Date().toUTCString() }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const location = {
    bucket: 'mynah',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    prefix: '',
    accessKey: 'a',
    secretKey: 'b',
  };
  return { facts, location, close };
}

test('a request is repeated after a fault of the server and of the connection, and not after a refusal', async () => {
  const server = await startFaultyServer((request) => (request === 1 ? 503 : request === 2 ? 'cut' : 200));
  const refusing = await startFaultyServer(() => 403);
  try {
    await new S3Bucket(server.location, { retryMs: 1 }).put('x', Buffer.from('x'));
    assert.equal(server.facts.requests, 3);
    const refused = new S3Bucket(refusing.location, { retryMs: 1 }).put('x', Buffer.from('x'));
    await assert.rejects(refused, { code: 'storage_unavailable' });
    assert.equal(refusing.facts.requests, 1);
  } finally {
    server.close();
    refusing.close();
  }
});

test('a server that does not answer ends with an error after a bounded number of attempts', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  try {
    const location = {
      bucket: 'mynah',
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      prefix: '',
      accessKey: 'a',
      secretKey: 'b',
    };
    const bucket = new S3Bucket(location, { requestMs: 20, retryMs: 1, attemptsMax: 3 });
    await assert.rejects(bucket.find('x'), { code: 'storage_unavailable' });
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});

test('a copy of a file is served while the storage is not available', () =>
  inTemporaryFolder(async (folder) => {
    let isUp = true;
    const bucket = {
      find: async () => {
        if (!isUp) throw await unavailable();
        return { name: 'files/a', etag: '1', modifiedAtMs: 0 };
      },
      get: async () => chunksOf(Buffer.from('content'), 3),
    } as unknown as S3Bucket; // Only these two methods are called.
    const files = new S3FileStore(bucket, new FileCache(folder, 1000));
    assert.equal(textOf(await files.read('a')), 'content');
    isUp = false;
    assert.equal(textOf(await files.read('a')), 'content');
    await assert.rejects(files.read('b'), { code: 'storage_unavailable' });
  }));

async function unavailable(): Promise<Error> {
  const { ApiError } = await import('../../../src/errors.ts');
  return new ApiError('storage_unavailable', 'The file storage is unavailable.');
}

test('the cache stays below twice its size, and keeps what was used last', () =>
  inTemporaryFolder(async (folder) => {
    const cache = new FileCache(folder, 1000);
    for (let index = 0; index < 10; index += 1)
      await cache.add(`file-${index}`, '1', chunksOf(Buffer.alloc(400), 100));
    const files = await readdir(folder);
    assert.ok(files.length * 400 <= 2000, `${files.length} files`);
    assert.ok(await cache.find('file-9', '1'));
    assert.equal(await cache.find('file-0', '1'), undefined);
    assert.equal(await cache.find('file-9', '2'), undefined);
    // The next process finds what is there.
    assert.ok(await new FileCache(folder, 1000).find('file-9', '1'));
  }));
