import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type HostedFile, startHubServer } from '../../../../test/support/models/hub-server.ts';
import { makeTemporaryFolder } from '../../../../test/support/models/temporary-folder.ts';
import {
  makeBytes,
  makeModel,
  pinnedFile,
  sha256Of,
} from '../../../../test/support/models/test-catalogue.ts';
import type { ModelFile } from '../catalogue/model.ts';
import { ModelStoreError } from '../files/model-store-error.ts';
import { createHubSource } from './hub-source.ts';
import type { LearnedDigest } from './source.ts';

const content = makeBytes(300_000);
const path = '/owner/repo/resolve/main/onnx/model.onnx';
const hub = { repository: 'owner/repo', path: 'onnx/model.onnx' };
const pinned = pinnedFile('model.onnx', content, { hub });

interface Outcome {
  readonly delivered: Buffer[];
  readonly learned: LearnedDigest | undefined;
  readonly requests: string[];
  readonly lastProgress: readonly [number, number | undefined] | undefined;
}

async function fetchFromHub(
  t: TestContext,
  hosted: HostedFile | undefined,
  options: {
    file?: ModelFile;
    partial?: Uint8Array;
    signal?: AbortSignal;
    stallMs?: number;
    onProgress?: (bytes: number) => void;
  } = {},
): Promise<Outcome> {
  const { url, requests } = await startHubServer(t, hosted === undefined ? {} : { [path]: hosted });
  const workFolder = await makeTemporaryFolder(t);
  const file = options.file ?? pinned;
  if (options.partial !== undefined) {
    await mkdir(workFolder, { recursive: true });
    await writeFile(join(workFolder, 'model.onnx.part'), options.partial);
  }
  const source = createHubSource({
    baseUrl: `${url}/`,
    timing: { retryPauseMs: 1, ...(options.stallMs !== undefined && { stallMs: options.stallMs }) },
  });
  const delivered: Buffer[] = [];
  let learned: LearnedDigest | undefined;
  let lastProgress: Outcome['lastProgress'];
  await source.fetch({
    model: makeModel('m', [file]),
    files: [file],
    workFolder,
    signal: options.signal ?? new AbortController().signal,
    async deliver(_file, partPath, digest) {
      const bytes = await readFile(partPath);
      delivered.push(bytes);
      learned = digest;
      if (file.sha256 === undefined || sha256Of(bytes) === file.sha256) return;
      await writeFile(partPath, '');
      throw new ModelStoreError('hash_mismatch', 'wrong');
    },
    onProgress: (done, total) => {
      lastProgress = [done, total];
      options.onProgress?.(done);
    },
  });
  return { delivered, learned, requests, lastProgress };
}

test('a file is downloaded with one request, and the progress ends at its size', async (t) => {
  const { delivered, requests, lastProgress } = await fetchFromHub(t, { content });
  assert.ok(delivered[0]?.equals(content));
  assert.deepEqual(requests, [`GET ${path}`]);
  assert.deepEqual(lastProgress, [content.length, content.length]);
});

test('a partial file of an earlier process is resumed', async (t) => {
  const { delivered, requests } = await fetchFromHub(
    t,
    { content },
    { partial: content.subarray(0, 123_456) },
  );
  assert.ok(delivered[0]?.equals(content));
  assert.deepEqual(requests, [`GET ${path} bytes=123456-`]);
});

test('a download is resumed after a dropped connection', async (t) => {
  let receivedBytes = 0;
  const cuts = {
    afterBytes: 70_000,
    times: 3,
    isReceived: (fileBytes: number) => receivedBytes >= fileBytes,
  };
  const { delivered, requests } = await fetchFromHub(
    t,
    { content, cuts },
    {
      onProgress: (bytes) => {
        receivedBytes = bytes;
      },
    },
  );
  assert.ok(delivered[0]?.equals(content));
  assert.deepEqual(requests, [
    `GET ${path}`,
    `GET ${path} bytes=70000-`,
    `GET ${path} bytes=140000-`,
    `GET ${path} bytes=210000-`,
  ]);
});

test('a download restarts when the server ignores ranges', async (t) => {
  const { delivered } = await fetchFromHub(
    t,
    { content, ignoresRange: true },
    { partial: content.subarray(0, 1000) },
  );
  assert.ok(delivered[0]?.equals(content));
});

test('a partial file with wrong content is discarded after verification and downloaded again', async (t) => {
  const { delivered, requests } = await fetchFromHub(t, { content }, { partial: Buffer.alloc(5000) });
  assert.equal(delivered.length, 2);
  assert.ok(delivered[1]?.equals(content));
  assert.deepEqual(requests, [`GET ${path} bytes=5000-`, `GET ${path}`]);
});

test('a partial file longer than the file is discarded', async (t) => {
  const { delivered } = await fetchFromHub(t, { content }, { partial: makeBytes(400_000) });
  assert.ok(delivered[0]?.equals(content));
});

test('a server error is retried', async (t) => {
  const { delivered } = await fetchFromHub(t, { content, failures: [503] });
  assert.ok(delivered[0]?.equals(content));
});

for (const { name, hosted, code } of [
  { name: 'a missing file', hosted: undefined, code: 'file_missing' },
  { name: 'a rejected request', hosted: { content, failures: [403] }, code: 'source_unreachable' },
  {
    name: 'a server that fails repeatedly',
    hosted: { content, failures: [500, 500, 500] },
    code: 'source_unreachable',
  },
  { name: 'a file of another size', hosted: { content: makeBytes(1000) }, code: 'hash_mismatch' },
  {
    name: 'a file of the right size with other content',
    hosted: { content: makeBytes(300_000, 2) },
    code: 'hash_mismatch',
  },
]) {
  test(`${name} is reported as ${code}`, async (t) => {
    await assert.rejects(fetchFromHub(t, hosted), { name: 'ModelStoreError', code });
  });
}

test('a connection without data is aborted', async (t) => {
  const stalled = { content, silentFromByte: 1000 };
  await assert.rejects(fetchFromHub(t, stalled, { stallMs: 60 }), {
    code: 'source_unreachable',
    message: /0\.06 s/,
  });
});

test('an unreachable hub is reported with the reason', async (t) => {
  const source = createHubSource({ baseUrl: 'http://127.0.0.1:9', timing: { retryPauseMs: 1 } });
  const fetching = source.fetch({
    model: makeModel('m', [pinned]),
    files: [pinned],
    workFolder: await makeTemporaryFolder(t),
    signal: new AbortController().signal,
    deliver: async () => {},
    onProgress: () => {},
  });
  await assert.rejects(fetching, { code: 'source_unreachable', message: /bad port|ECONNREFUSED/ });
});

test('an abort stops the download', async (t) => {
  const controller = new AbortController();
  const slow = { content, throttle: { chunkBytes: 1000, pauseMs: 20 } };
  const options = { signal: controller.signal, onProgress: () => controller.abort() };
  await assert.rejects(fetchFromHub(t, slow, options), { code: 'cancelled' });
});

const unpinned: ModelFile = { name: 'model.onnx', hub };
const gitBlobSha1 = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

for (const { what, headers, expected } of [
  {
    what: 'large file',
    headers: { 'x-linked-etag': `"${sha256Of(content)}"` },
    expected: { sha256: sha256Of(content) },
  },
  { what: 'small file', headers: { etag: `W/"${gitBlobSha1}"` }, expected: { gitBlobSha1 } },
]) {
  test(`the hash of an unpinned ${what} comes from the hub`, async (t) => {
    const { learned, requests } = await fetchFromHub(t, { content, headers }, { file: unpinned });
    assert.deepEqual(learned, expected);
    assert.deepEqual(requests, [`HEAD ${path}`, `GET ${path}`]);
  });
}

test('an unpinned file without a hash is rejected', async (t) => {
  await assert.rejects(fetchFromHub(t, { content, headers: { etag: '"abc"' } }, { file: unpinned }), {
    code: 'hash_mismatch',
  });
});

test('a file of a release is downloaded from its URL, without the token of the hub', async (t) => {
  const release = '/owner/repo/releases/download/tag/model.onnx';
  const { url, requests, tokens } = await startHubServer(t, { [release]: { content } });
  const file = pinnedFile('model.onnx', content, { release: `${url}${release}` });
  const source = createHubSource({ baseUrl: 'http://127.0.0.1:1', token: 'secret' });
  const model = makeModel('m', [file]);
  assert.ok(source.offers(model, file));
  let delivered: Buffer | undefined;
  await source.fetch({
    model,
    files: [file],
    workFolder: await makeTemporaryFolder(t),
    signal: new AbortController().signal,
    async deliver(_file, partPath) {
      delivered = await readFile(partPath);
    },
    onProgress: () => {},
  });
  assert.deepEqual(delivered, Buffer.from(content));
  assert.deepEqual([requests, tokens], [[`GET ${release}`], [undefined]]);
});
