import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from './database.ts';
import { SqlKeyStore } from './sql-key-store.ts';

test('the file of a closed SQLite database is complete without its write-ahead log', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-database-'));
  try {
    const db = await openDatabase(join(folder, 'mynah.db'));
    await new SqlKeyStore(db).ensureAccount({ id: 'ada', name: 'Ada', createdAtMs: 1 });
    await db.destroy();
    const log = await stat(join(folder, 'mynah.db-wal')).catch(() => undefined);
    assert.equal(log?.size ?? 0, 0);

    await copyFile(join(folder, 'mynah.db'), join(folder, 'copy.db'));
    const copy = await openDatabase(join(folder, 'copy.db'));
    const accounts = await new SqlKeyStore(copy).listAccounts();
    assert.deepEqual(
      accounts.map(({ id }) => id),
      ['ada'],
    );
    await copy.destroy();
  } finally {
    await rm(folder, { recursive: true });
  }
});
