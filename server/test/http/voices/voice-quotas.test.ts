import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Config } from '../../../src/config/config.ts';
import { form, RECORDING } from '../../support/calls/voice-forms.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

async function withServer(
  config: Partial<Config>,
  work: (server: TestServer, cloner: RecordingCloner) => Promise<void>,
): Promise<void> {
  const cloner = new RecordingCloner();
  const server = await startTestServer({ config, voices: { cloner } });
  try {
    await work(server, cloner);
  } finally {
    await server.close();
  }
}

const createVoice = (server: TestServer, key = server.key) =>
  server.call('/model', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form({ title: 'Ada', voices: RECORDING }),
  });
const addReference = (server: TestServer, id: string) =>
  server.call('/v1/references/add?format=json', { method: 'POST', body: form({ id, audio: RECORDING }) });
const codeOf = (response: Response) => response.headers.get('x-fish-error-code');

test('an account has a maximum number of voices, on every route that creates one', () =>
  withServer({ voicesMax: 2 }, async (server, cloner) => {
    const { _id } = (await (await createVoice(server)).json()) as { _id: string };
    assert.equal((await addReference(server, 'second')).status, 200);
    const clones = cloner.clones;
    const mixed = server.call('/model', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Mixed', mix: [{ id: 'af_heart' }, { id: 'am_michael' }] }),
    });
    for (const refused of [await createVoice(server), await addReference(server, 'third'), await mixed]) {
      assert.equal(refused.status, 409);
      assert.equal(codeOf(refused), 'voice_limit');
    }
    assert.equal(cloner.clones, clones, 'nothing is cloned');
    assert.equal((await createVoice(server, await server.createKeyFor('acc_other'))).status, 201);
    await server.call(`/model/${_id}`, { method: 'DELETE' });
    assert.equal((await createVoice(server)).status, 201);
  }));

test('concurrent requests do not exceed the maximum number of voices', () =>
  withServer({ voicesMax: 3 }, async (server) => {
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await createVoice(server)).status),
    );
    assert.equal(statuses.filter((status) => status === 201).length, 3);
    const { total } = (await (await server.call('/model?self=true')).json()) as { total: number };
    assert.equal(total, 3);
  }));

/** The routes with uploads, with the name of the recording in their forms. */
const UPLOAD_ROUTES = {
  '/model': 'voices',
  '/v1/references/add': 'audio',
  '/v1/asr': 'audio',
  '/v1/audio/transcriptions': 'file',
} as const;

/** Starts an upload that never ends, and sends some bytes of a recording. */
function startUpload(server: TestServer, path: keyof typeof UPLOAD_ROUTES, bytes: number): ClientRequest {
  const sent = httpRequest(`${server.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'multipart/form-data; boundary=x',
    },
  });
  sent.on('error', () => {});
  sent.write(`--x\r\ncontent-disposition: form-data; name="${UPLOAD_ROUTES[path]}"; filename="a"\r\n\r\n`);
  sent.write(Buffer.alloc(bytes));
  return sent;
}

/** Number of recordings in the folder of uploads. */
async function uploadedFiles({ dataFolder }: TestServer): Promise<number> {
  const entries = await readdir(join(dataFolder, 'uploads'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

const upload = (server: TestServer, path: keyof typeof UPLOAD_ROUTES, key = server.key) =>
  server.call(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
    body: form({ title: 'Ada', id: 'ada', model: 'whisper-1', [UPLOAD_ROUTES[path]]: RECORDING }),
  });

for (const path of Object.keys(UPLOAD_ROUTES) as (keyof typeof UPLOAD_ROUTES)[]) {
  test(`POST ${path}: the uploads of an account are limited in number and bytes`, () =>
    withServer({ accountUploadsMax: 2, accountUploadsMaxBytes: 400_000 }, async (server) => {
      const first = startUpload(server, path, 300_000);
      // Otherwise the uploads that ask for the limit may take its place.
      await until('it arrives', async () => (await uploadedFiles(server)) === 1, 20_000);
      const isRefused = async () => {
        const response = await upload(server, path);
        await response.arrayBuffer();
        return codeOf(response) === 'too_many_uploads' && response.status === 429;
      };
      await until('the bytes are counted', isRefused, 20_000);
      const other = await upload(server, path, await server.createKeyFor('acc_other'));
      assert.notEqual(other.status, 429);
      await other.arrayBuffer();
      first.destroy();
      await until('the share is given back', async () => !(await isRefused()), 20_000);

      await until('all files are removed', async () => (await uploadedFiles(server)) === 0, 20_000);
      const hanging = [startUpload(server, path, 10_000), startUpload(server, path, 10_000)];
      await until('both arrive', async () => (await uploadedFiles(server)) === 2, 20_000);
      assert.equal(await isRefused(), true);
      for (const request of hanging) request.destroy();
      await until('their shares are given back', async () => !(await isRefused()), 20_000);
    }));
}
