import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import Sqlite from 'libsql';
import { skipWithout } from '../../../test/support/servers/missing-program.ts';
import { DATABASE_KINDS, testOnEachDatabase } from '../../../test/support/sql/databases.ts';
import { createApiKeys } from '../../domain/accounts/keys/api-keys.ts';
import { openDatabase } from './database.ts';
import { SqlLedger } from './ledger/sql-ledger.ts';
import { SqlKeyStore } from './sql-key-store.ts';

const FIXTURE = new URL('../../../../test/fixtures/data-0.1.0/mynah.sql', import.meta.url);
const FIRST_KEY_0_1_0 = 'mynah_321szwv83s_XZlgh3OTYslzTjuxmQsxxSfmtpwL38Cf';
const SCHEMA_0_1_0 = '0008-account-watermarks';
const MAIN = fileURLToPath(new URL('../../../test/support/sql/migrating-process-main.js', import.meta.url));
/** A statement of the migration 0010, which follows another one. */
const IN_THE_MIDDLE = 'create table "console_session"';

const root = await mkdtemp(join(tmpdir(), 'mynah-migrate-'));
after(() => rm(root, { recursive: true }));

/** A SQLite database as version 0.1.0 has written it. */
async function createOldDatabase(name: string): Promise<string> {
  const path = join(root, `${name}.db`);
  const sqlite = new Sqlite(path);
  sqlite.exec('pragma journal_mode = wal');
  sqlite.exec(await readFile(FIXTURE, 'utf8'));
  sqlite.close();
  return path;
}

type Row = Record<string, unknown>;

/** All rows by table, in the order of their content. */
function readTables(path: string): Map<string, Row[]> {
  const sqlite = new Sqlite(path, { readonly: true });
  try {
    const tables = sqlite
      .prepare("select name from sqlite_master where type = 'table' order by name")
      .raw()
      .all();
    return new Map(
      (tables as [string][]).map(([name]) => {
        const statement = sqlite.prepare(`select * from "${name}" order by 1, 2`);
        const columns = statement.columns().map((column) => column.name);
        const rows = statement.raw().all() as unknown[][];
        return [name, rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])))];
      }),
    );
  } finally {
    sqlite.close();
  }
}

/** Migrates in another process and returns how it has ended. */
async function migrateInProcess(address: string, killAfter?: string): Promise<string> {
  const child = spawn(process.execPath, [MAIN, address, ...(killAfter === undefined ? [] : [killAfter])], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal ?? `status ${status}`;
}

test('a database of 0.1.0 is upgraded, and every row and column is kept', async () => {
  const path = await createOldDatabase('old');
  const before = readTables(path);
  const db = await openDatabase(path);
  try {
    assert.deepEqual((await new SqlLedger(db).verify()).problems, []);
    assert.equal((await new SqlLedger(db).wallet('acc_first')).spentNano, 875_000);
    const keys = createApiKeys({ store: new SqlKeyStore(db) });
    assert.equal((await keys.authenticate(FIRST_KEY_0_1_0))?.accountId, 'acc_first');
    await keys.close();
  } finally {
    await db.destroy();
  }
  const now = readTables(path);
  for (const [table, rows] of before) {
    // The migration 0011 removes names from the audit log; `authenticate` records the use of the key.
    const changes = table === 'audit_event' ? ['facts'] : table === 'api_key' ? ['last_used_at'] : [];
    const kept = now.get(table)!.slice(0, rows.length);
    assert.deepEqual(
      kept.map((row, at) => pickColumns(row, Object.keys(rows[at]!), changes)),
      rows.map((row) => pickColumns(row, Object.keys(row), changes)),
      table,
    );
    if (table !== 'kysely_migration') assert.equal(now.get(table)!.length, rows.length, table);
  }
});

function pickColumns(row: Row, columns: readonly string[], without: readonly string[]): Row {
  return Object.fromEntries(
    columns.filter((column) => !without.includes(column)).map((column) => [column, row[column]]),
  );
}

test('SQLite: a migration that is killed leaves the database of 0.1.0 as it was, and the next start upgrades it', async () => {
  const path = await createOldDatabase('killed');
  const before = readTables(path);
  assert.equal(await migrateInProcess(path, IN_THE_MIDDLE), 'SIGKILL');
  assert.deepEqual(readTables(path), before);
  assert.equal(before.get('kysely_migration')!.at(-1)!.name, SCHEMA_0_1_0);
  await (await openDatabase(path)).destroy();
  assert.ok(readTables(path).has('console_session'));
});

test('PostgreSQL: a migration that is killed leaves nothing, and the next start completes it', async (context) => {
  const database = await DATABASE_KINDS.find(({ name }) => name === 'PostgreSQL')!.create();
  if (database === undefined) return skipWithout('postgres', context, 'PostgreSQL is not installed.');
  try {
    assert.equal(await migrateInProcess(database.address, IN_THE_MIDDLE), 'SIGKILL');
    await (await openDatabase(database.address)).destroy();
  } finally {
    await database.remove();
  }
});

for (const kind of DATABASE_KINDS) {
  test(`${kind.name}: of several processes that start at the same time, one migrates and all succeed`, async (context) => {
    const database = await kind.create();
    if (database === undefined) return skipWithout('postgres', context, `${kind.name} is not installed.`);
    try {
      const ends = await Promise.all([1, 2, 3].map(() => migrateInProcess(database.address)));
      assert.deepEqual(ends, ['status 0', 'status 0', 'status 0']);
      const db = await openDatabase(database.address);
      const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
      assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
      await db.destroy();
    } finally {
      await database.remove();
    }
  });
}

testOnEachDatabase('a schema of a newer version is refused and not changed', async (db, address) => {
  await sql`insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '')`.execute(db);
  await assert.rejects(openDatabase(address), { name: 'DatabaseOpenError', code: 'schema_newer' });
});
