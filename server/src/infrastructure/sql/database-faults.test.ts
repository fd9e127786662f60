import assert from 'node:assert/strict';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { openDatabase } from './database.ts';
import { SqlKeyStore } from './sql-key-store.ts';
import { truncateWal } from './truncate-wal.ts';

const WAIT_MS_MAX = 30_000;
const PAGE_BYTES = 4096;
const root = await mkdtemp(join(tmpdir(), 'mynah-faults-'));
after(() => rm(root, { recursive: true }));

async function until(isTrue: () => boolean): Promise<void> {
  for (const endMs = Date.now() + WAIT_MS_MAX; !isTrue(); await sleep(20))
    assert.ok(Date.now() < endMs, 'timed out');
}

const account = (index: number) => ({ id: `acc_${index}`, name: 'x'.repeat(1000), createdAtMs: 1 });

test('a full disk: database_unavailable, reported once, and recovery without a restart', async () => {
  const db = await openDatabase(join(root, 'full.db'));
  const store = new SqlKeyStore(db);
  const problems: (string | undefined)[] = [];
  db.availability.onChange((problem) => problems.push(problem));
  // Like a full disk, SQLite then reports SQLITE_FULL.
  await sql`pragma max_page_count = 1`.execute(db);
  const fill = async () => {
    for (let index = 0; index < 1000; index += 1) await store.ensureAccount(account(index));
  };
  await assert.rejects(fill(), { code: 'database_unavailable' });
  await assert.rejects(fill(), { code: 'database_unavailable' });
  assert.equal(db.availability.isAvailable, false);
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? '', /SQLITE_FULL/);
  await sql`pragma max_page_count = 100000`.execute(db);
  await until(() => db.availability.isAvailable);
  assert.deepEqual(problems.slice(1), [undefined]);
  await fill();
  await db.destroy();
});

test('a file that is damaged while the server runs: unavailable until the next start', async () => {
  const path = join(root, 'damaged.db');
  const db = await openDatabase(path);
  const store = new SqlKeyStore(db);
  for (let index = 0; index < 3000; index += 1) await store.ensureAccount(account(index));
  await truncateWal(db);
  await db.destroy();

  const running = await openDatabase(path);
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  // The schema is on the first pages and in memory.
  const damage = Buffer.alloc(PAGE_BYTES, 0xa5);
  for (let at = 64 * PAGE_BYTES; at < size; at += PAGE_BYTES) await file.write(damage, 0, PAGE_BYTES, at);
  await file.close();
  const problems: (string | undefined)[] = [];
  running.availability.onChange((problem) => problems.push(problem));
  await assert.rejects(new SqlKeyStore(running).listAccounts(), { code: 'database_unavailable' });
  assert.match(problems[0] ?? '', /SQLITE_CORRUPT/);
  // Several probes: writing an intact page succeeds, the file remains damaged.
  const endMs = Date.now() + 2500;
  while (Date.now() < endMs) {
    assert.equal(running.availability.isAvailable, false);
    await sleep(50);
  }
  assert.equal(problems.length, 1);
  await running.destroy();
});
