import { spawn } from 'node:child_process';
import pg from 'pg';
import { BackupError } from './backup-error.ts';

const STDERR_MAX = 2000;
const CONNECT_TIMEOUT_MS = 10_000;

/** Writes a consistent copy of a PostgreSQL database with `pg_dump`. Returns the names of its migrations. */
export async function dumpPostgres(url: string, to: string): Promise<string[]> {
  const migrations = await readPostgresMigrations(url);
  await runTool('pg_dump', ['--format=custom', '--no-owner', '--no-privileges', `--file=${to}`], url);
  return migrations;
}

/** Restores a copy in one transaction: completely, or not at all. Objects of the same names are replaced if asked. */
export async function restorePostgres(
  url: string,
  from: string,
  { mayReplace }: { readonly mayReplace: boolean },
): Promise<void> {
  if (!mayReplace && (await hasTables(url))) {
    throw new BackupError(
      'database_not_empty',
      'The database of MYNAH_DATABASE_URL is not empty; add --replace to replace its tables.',
    );
  }
  const replace = mayReplace ? ['--clean', '--if-exists'] : [];
  const options = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges'];
  await runTool('pg_restore', [...options, ...replace, from], url);
}

async function readPostgresMigrations(url: string): Promise<string[]> {
  const rows = await query<{ name: string }>(url, 'select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}

async function hasTables(url: string): Promise<boolean> {
  const [row] = await query<{ found: boolean }>(
    url,
    "select exists (select from information_schema.tables where table_schema = 'public') as found",
  );
  return row?.found === true;
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await client.connect();
    return (await client.query<Row>(text)).rows;
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string };
    throw new BackupError('database_tool_failed', `PostgreSQL reports: ${message || code}.`, {
      cause: error,
    });
  } finally {
    await client.end().catch(() => {});
  }
}

/** The password is passed in the environment, because arguments are visible to other users. */
async function runTool(program: string, args: readonly string[], url: string): Promise<void> {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = '';
  const child = spawn(program, [...args, `--dbname=${address.href}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...(password !== '' && { PGPASSWORD: password }) },
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-STDERR_MAX);
  });
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (status) =>
      resolve(status === 0 ? undefined : stderr.trim() || `exit status ${status}`),
    );
  });
  if (failure === undefined) return;
  throw new BackupError(
    'database_tool_failed',
    `${program} failed: ${failure.replaceAll('\n', '; ')}. It belongs to the client programs of PostgreSQL, in a version not older than the server.`,
  );
}
