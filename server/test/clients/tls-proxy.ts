import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import type { ClientsServer } from './server.ts';

/**
 * Starts a TLS proxy for the server, which some clients require, and returns its URL. The certificate is
 * self-signed; this process accepts any certificate while the test runs.
 */
export async function startTlsProxy(t: TestContext, server: ClientsServer): Promise<string> {
  const [keyPath, certPath] = ['key.pem', 'cert.pem'].map((name) => join(server.dataFolder, name)) as [
    string,
    string,
  ];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
  const output = ['-nodes', '-keyout', keyPath, '-out', certPath];
  await promisify(execFile)('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...output, ...subject]);
  const { hostname, port } = new URL(server.url);
  const [key, cert] = await Promise.all([readFile(keyPath), readFile(certPath)]);
  const proxy = createServer({ key, cert }, (client) => {
    const upstream = connect(Number(port), hostname);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  t.after(() => {
    proxy.close();
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  });
  return `https://localhost:${(proxy.address() as AddressInfo).port}`;
}
