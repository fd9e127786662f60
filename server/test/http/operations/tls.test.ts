import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'node:tls';
import { WebSocket } from 'ws';
import { readTlsFiles } from '../../../src/api/server/tls.ts';
import { startTestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { createCertificate } from '../../support/servers/self-signed-certificate.ts';

const WAIT_MS = 60_000;
const root = mkdtempSync(join(tmpdir(), 'mynah-tls-'));
after(() => rm(root, { recursive: true }));

test('a server with a certificate speaks HTTPS and WSS, and uses a replaced certificate without a restart', async () => {
  const [first, second] = [await createCertificate(root, 'first'), await createCertificate(root, 'second')];
  const [cert, key] = [join(root, 'cert.pem'), join(root, 'key.pem')];
  const install = async (files: typeof first) => {
    await copyFile(files.cert, cert);
    await copyFile(files.key, key);
  };
  await install(first);
  let log = '';
  const server = await startTestServer({
    config: { tlsCert: cert, tlsKey: key },
    log: { write: (line) => (log += line) },
  });
  try {
    const port = Number(new URL(server.url).port);
    assert.match(server.url, /^https:/);
    const ca = await readFile(first.cert);
    // An offer of another protocol is ignored.
    const headers = { connection: 'Upgrade', upgrade: 'h2c' };
    const health = request({ host: '127.0.0.1', port, path: '/v1/health', headers, ca, agent: false }).end();
    const [response] = await once(health, 'response');
    assert.equal(response.statusCode, 200);
    response.resume();

    const socket = new WebSocket(`wss://127.0.0.1:${port}/v1/tts/live`, {
      ca,
      headers: { authorization: `Bearer ${server.key}` },
    });
    await once(socket, 'open');
    socket.terminate();

    assert.equal(await commonName(port), 'first');
    await install(second);
    await until('the certificate is replaced', async () => (await commonName(port)) === 'second', WAIT_MS);
    await writeFile(cert, 'not a certificate');
    await until('the fault is logged', async () => log.includes('was not reloaded'), WAIT_MS);
    assert.equal(await commonName(port), 'second');
  } finally {
    await server.close();
  }
});

test('files that cannot be used are refused at the start', async () => {
  const { cert, key } = await createCertificate(root, 'lonely');
  const other = await createCertificate(root, 'other');
  const cases = [
    { tlsCert: cert },
    { tlsKey: key },
    { tlsCert: cert, tlsKey: join(root, 'missing.pem') },
    { tlsCert: cert, tlsKey: other.key },
    { tlsCert: key, tlsKey: cert },
  ];
  for (const config of cases) {
    assert.throws(
      () => {
        readTlsFiles({ tlsCert: undefined, tlsKey: undefined, ...config });
      },
      { name: 'ConfigError' },
    );
  }
});

/** The name in the certificate that a new connection receives. */
async function commonName(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}
