import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MemoryKeyStore } from '../../../../test/support/accounts/memory-key-store.ts';
import { createApiKeys } from './api-keys.ts';
import { ensureFirstKey, FIRST_ACCOUNT_ID } from './first-key.ts';

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-first-key-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the first start creates an account and a valid key, in a file with mode 0600', () =>
  withFolder(async (folder) => {
    const store = new MemoryKeyStore();
    const key = await ensureFirstKey(store, folder);
    assert.ok(key);
    assert.equal((await readFile(join(folder, 'first-key'), 'utf8')).trim(), key);
    assert.equal((await stat(join(folder, 'first-key'))).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(folder), ['first-key']);
    assert.equal((await createApiKeys({ store }).authenticate(key))?.accountId, FIRST_ACCOUNT_ID);
  }));

test('a later start creates no second key', () =>
  withFolder(async (folder) => {
    const store = new MemoryKeyStore();
    await ensureFirstKey(store, folder);
    assert.equal(await ensureFirstKey(store, folder), undefined);
    assert.equal(store.keys.size, 1);
  }));

test('after a start that was killed before the key was stored, the next start writes a valid key', () =>
  withFolder(async (folder) => {
    const store = new MemoryKeyStore();
    store.addFirstKey = async (_key, beforeCommit) => {
      await beforeCommit();
      throw new Error('killed');
    };
    await assert.rejects(ensureFirstKey(store, folder), /killed/);
    const restarted = new MemoryKeyStore();
    const key = await ensureFirstKey(restarted, folder);
    assert.equal((await readFile(join(folder, 'first-key'), 'utf8')).trim(), key);
  }));

test('the first start creates a missing data folder', () =>
  withFolder(async (folder) => {
    const missing = join(folder, 'new', 'data');
    const key = await ensureFirstKey(new MemoryKeyStore(), missing);
    assert.equal((await readFile(join(missing, 'first-key'), 'utf8')).trim(), key);
  }));
