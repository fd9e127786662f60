import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

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

/**
 * Starts a private PostgreSQL server in a temporary folder, reachable through a socket there, and returns its URL.
 * It ends with this process. Undefined when PostgreSQL is not installed.
 */
export async function startPrivatePostgres(): Promise<string | undefined> {
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
  // Durability is not needed in tests.
  const options = ['-F', '-c', 'synchronous_commit=off', '-c', 'listen_addresses=', '-k', folder];
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...options], {
    ...processOptions,
    stdio: 'ignore',
  });
  server.unref();
  process.once('exit', () => {
    server.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  });
  const address = `postgres://mynah@localhost/postgres?host=${encodeURIComponent(folder)}`;
  await waitUntilReady(address, server);
  return address;
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
