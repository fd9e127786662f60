import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { startPrivateS3 } from '../../support/servers/s3-server.ts';
import { type CertificateFiles, createCertificate } from '../../support/servers/self-signed-certificate.ts';
import { startRestartablePostgres } from '../../support/sql/private-postgres.ts';

// TLS of PostgreSQL and of the bucket, with the settings of docs/guides/scaling.md. That of NATS: nats-permissions.test.ts.

const S3_CLIENT = fileURLToPath(new URL('../../support/servers/s3-client-main.js', import.meta.url));

let folder: string;
let certificate: CertificateFiles;
let other: CertificateFiles;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-tls-'));
  certificate = await createCertificate(folder, 'server');
  other = await createCertificate(folder, 'other');
});
after(() => rm(folder, { recursive: true, force: true }));

test('PostgreSQL with sslmode=verify-full uses TLS, and a server without a trusted certificate is refused', async (t) => {
  const postgres = await startRestartablePostgres(certificate);
  if (postgres === undefined) {
    skipWithout('postgres', t, 'PostgreSQL is not installed.');
    return;
  }
  t.after(() => postgres.stopImmediately());
  const address = (host: string, query: string) =>
    `postgres://mynah@${host}:${postgres.tlsPort}/postgres${query}`;
  const verified = (file: string) => `?sslmode=verify-full&sslrootcert=${encodeURIComponent(file)}`;
  for (const host of ['localhost', '127.0.0.1']) {
    const db = await openDatabase(address(host, verified(certificate.cert)));
    try {
      const { rows } = await sql<{
        ssl: boolean;
      }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(db);
      assert.deepEqual(rows, [{ ssl: true }], host);
    } finally {
      await db.destroy();
    }
  }
  for (const query of [verified(other.cert), '?sslmode=verify-full', '']) {
    await assert.rejects(openDatabase(address('localhost', query)), query);
  }
});

test('a bucket with an https endpoint uses TLS, and a server without a trusted certificate is refused', async (t) => {
  const s3 = await startPrivateS3(certificate);
  if (s3 === undefined) {
    skipWithout('s3', t, 'The S3 server cannot be installed.');
    return;
  }
  t.after(() => s3.stop());
  const location = JSON.stringify({ ...s3.location, endpoint: s3.tlsEndpoint });
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  for (const { trusted, expected } of [
    { trusted: { NODE_EXTRA_CA_CERTS: certificate.cert }, expected: 'Hello.' },
    { trusted: { NODE_EXTRA_CA_CERTS: other.cert }, expected: 'storage_unavailable' },
    { trusted: {}, expected: 'storage_unavailable' },
  ]) {
    const { stdout } = await promisify(execFile)(process.execPath, [S3_CLIENT, location], {
      env: { ...env, ...trusted },
    });
    assert.equal(stdout.trim(), expected, Object.values(trusted).join());
  }
});
