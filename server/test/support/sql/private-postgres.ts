import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePorts } from '../servers/free-ports.ts';
import type { CertificateFiles } from '../servers/self-signed-certificate.ts';

/** PostgreSQL refuses to run as root; the user `nobody` exists on every machine. */
const NOBODY_ID = 65_534;
const START_TIMEOUT_MS = 60_000;

/** The folder of `initdb` and `postgres`: that of the Debian packages, or one on PATH. */
function findPrograms(): string | undefined {
  const versions = '/usr/lib/postgresql';
  const packaged = existsSync(versions)
    ? readdirSync(versions).map((name) => join(versions, name, 'bin'))
    : [];
  const folders = [...packaged.sort().reverse(), ...(process.env.PATH ?? '').split(':')];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** A private PostgreSQL server, reachable through a socket in a temporary folder. It ends with this process. */
export interface PrivatePostgres {
  readonly address: string;
  /** The TCP port; undefined without TLS. */
  readonly tlsPort: number | undefined;
  /** The main process, which starts one process per connection. */
  readonly pid: () => number;
  /** Like `pg_ctl stop -m immediate`: all connections are lost without a warning. */
  stopImmediately(): Promise<void>;
  startAgain(): Promise<void>;
}

/** Starts a private PostgreSQL server and returns its URL. Undefined when PostgreSQL is not installed. */
export async function startPrivatePostgres(): Promise<string | undefined> {
  return (await startRestartablePostgres())?.address;
}

/** Undefined when PostgreSQL is not installed. With `tls` it is reachable over TCP as well, with TLS only. */
export async function startRestartablePostgres(tls?: CertificateFiles): Promise<PrivatePostgres | undefined> {
  const programs = findPrograms();
  if (programs === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'mynah-postgres-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, NOBODY_ID, NOBODY_ID);
  const processOptions = { cwd: folder, ...(isRoot && { uid: NOBODY_ID, gid: NOBODY_ID }) };
  const data = join(folder, 'data');
  const initialised = spawnSync(
    join(programs, 'initdb'),
    [
      '--pgdata',
      data,
      '--username',
      'mynah',
      '--auth',
      'trust',
      '--encoding',
      'UTF8',
      '--locale',
      'C',
      '--no-sync',
    ],
    { ...processOptions, encoding: 'utf8' },
  );
  if (initialised.status !== 0)
    throw new Error(`initdb failed: ${initialised.stderr}${initialised.error ?? ''}`);
  // Tests do not lose the power: a commit needs to be written, and not to be on the disk.
  const options = ['-F', '-k', folder];
  let tlsPort: number | undefined;
  if (tls === undefined) options.push('-c', 'listen_addresses=');
  else {
    [tlsPort] = await freePorts(1);
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    copyFileSync(tls.cert, cert);
    copyFileSync(tls.key, key);
    // The server refuses a key that others may read.
    chmodSync(key, 0o600);
    if (isRoot) for (const file of [cert, key]) chownSync(file, NOBODY_ID, NOBODY_ID);
    const access = 'local all all trust\nhostssl all all 127.0.0.1/32 trust\n';
    writeFileSync(join(data, 'pg_hba.conf'), access);
    const settings = ['listen_addresses=127.0.0.1', `port=${tlsPort}`, 'ssl=on'];
    settings.push(`ssl_cert_file=${cert}`, `ssl_key_file=${key}`);
    options.push(...settings.flatMap((setting) => ['-c', setting]));
  }
  const port = tlsPort === undefined ? '' : `:${tlsPort}`;
  const address = `postgres://mynah@localhost${port}/postgres?host=${encodeURIComponent(folder)}`;
  let server: ChildProcess;
  const start = async () => {
    server = spawn(join(programs, 'postgres'), ['-D', data, ...options], {
      ...processOptions,
      stdio: 'ignore',
    });
    server.unref();
    await waitUntilReady(address, server);
  };
  process.once('exit', () => {
    server.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return {
    address,
    tlsPort,
    pid: () => server.pid ?? 0,
    async stopImmediately() {
      server.ref(); // Otherwise nothing keeps the process alive until the event.
      const exited = once(server, 'exit');
      server.kill('SIGQUIT');
      await exited;
    },
    startAgain: start,
  };
}

async function waitUntilReady(address: string, server: ChildProcess): Promise<void> {
  for (const endMs = Date.now() + START_TIMEOUT_MS; Date.now() < endMs; await sleep(50)) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with status ${server.exitCode}.`);
    const client = new pg.Client({ connectionString: address });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      // Not ready yet.
    }
  }
  throw new Error('PostgreSQL did not start.');
}
