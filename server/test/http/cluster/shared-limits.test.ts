import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import WebSocket from 'ws';
import type { Config } from '../../../src/config/config.ts';
import { Secret } from '../../../src/config/secret.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { until } from '../../support/servers/real-server.ts';
import { DATABASE_KINDS } from '../../support/sql/databases.ts';

/** Two servers on one PostgreSQL database. */
async function withTwoServers(
  context: TestContext,
  config: Partial<Config>,
  work: (servers: readonly [TestServer, TestServer]) => Promise<void>,
): Promise<void> {
  const database = await DATABASE_KINDS.find(({ name }) => name === 'PostgreSQL')?.create();
  if (database === undefined) return skipWithout('postgres', context, 'PostgreSQL is not installed.');
  const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-limits-'));
  const options = { dataFolder, config: { ...config, databaseUrl: new Secret(database.address) } };
  const servers = [await startTestServer(options), await startTestServer(options)] as const;
  try {
    await work(servers);
  } finally {
    for (const server of servers) await server.close();
    await database.remove();
    await rm(dataFolder, { recursive: true, force: true });
  }
}

/** Opens a live socket. Resolves with the socket, or with the status of a refusal. */
function openSocket({ url }: TestServer, key: string): Promise<WebSocket | number> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/tts/live`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
    socket.once('error', reject);
  });
}

/**
 * Holds an upload of this size open. Begins again when the server has refused it, because an upload by which a test asks
 * for the state of the limit had taken its place.
 */
function holdUpload({ url, key }: TestServer, bytes: number): { readonly destroy: () => void } {
  let isHeld = true;
  const start = () => {
    const outgoing = httpRequest(`${url}/v1/asr`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' },
    });
    outgoing.on('error', () => {});
    outgoing.once('close', () => {
      if (isHeld) current = start();
    });
    outgoing.write('--b\r\ncontent-disposition: form-data; name="audio"; filename="a.wav"\r\n\r\n');
    outgoing.write(Buffer.alloc(bytes));
    outgoing.once('response', () => outgoing.destroy());
    return outgoing;
  };
  let current = start();
  return {
    destroy: () => {
      isHeld = false;
      current.destroy();
    },
  };
}

async function codeOfUpload({ call }: TestServer): Promise<string | undefined> {
  const body = new FormData();
  body.append('audio', new Blob([new Uint8Array(1000)]), 'a.wav');
  const response = await call('/v1/asr', { method: 'POST', body });
  await response.arrayBuffer();
  return response.headers.get('x-fish-error-code') ?? undefined;
}

test('the maximum of live sockets holds for two servers together', async (context) => {
  await withTwoServers(context, { liveSocketsMax: 3 }, async ([one, two]) => {
    const open = await Promise.all([one, two, one, two, one].map((server) => openSocket(server, server.key)));
    const sockets = open.filter((socket) => socket instanceof WebSocket);
    assert.equal(sockets.length, 3);
    assert.deepEqual(
      open.filter((socket) => typeof socket === 'number'),
      [429, 429],
    );
    // A socket that closes at one server makes room at the other.
    sockets[0]?.terminate();
    let again: WebSocket | number = 0;
    await until('a socket fits again', async () => {
      again = await openSocket(two, two.key);
      return again instanceof WebSocket;
    });
    for (const socket of [...sockets, again]) if (socket instanceof WebSocket) socket.terminate();
  });
});

test('the number of uploads of an account is limited at two servers together', async (context) => {
  await withTwoServers(context, { accountUploadsMax: 2 }, async ([one, two]) => {
    const uploads = [holdUpload(one, 1000), holdUpload(two, 1000)];
    try {
      await until('both count at one', async () => (await codeOfUpload(one)) === 'too_many_uploads');
      await until('both count at the other', async () => (await codeOfUpload(two)) === 'too_many_uploads');
      uploads[0]?.destroy();
      await until('a slot is free', async () => (await codeOfUpload(two)) !== 'too_many_uploads');
    } finally {
      for (const upload of uploads) upload.destroy();
    }
  });
});

test('the bytes of uploads of an account are limited at two servers together', async (context) => {
  await withTwoServers(context, { accountUploadsMaxBytes: 100_000 }, async ([one, two]) => {
    const large = holdUpload(one, 300_000);
    try {
      await until('the other server knows', async () => (await codeOfUpload(two)) === 'too_many_uploads');
    } finally {
      large.destroy();
    }
    await until('the bytes are free', async () => (await codeOfUpload(two)) !== 'too_many_uploads');
  });
});
