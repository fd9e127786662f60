import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolder } from '../../../create-folder.ts';
import { SCOPES } from '../caller.ts';
import { generateKey } from './key-format.ts';
import type { KeyStore, StoredKey } from './key-store.ts';

/** The initial account of every installation. */
export const FIRST_ACCOUNT_ID = 'acc_first';

/**
 * On the first start, creates an account and a key, writes the key to `<data>/first-key` with mode 0600, and
 * returns it. On later starts, and for all but one of several concurrent first starts, returns undefined.
 */
export async function ensureFirstKey(store: KeyStore, dataFolder: string): Promise<string | undefined> {
  const createdAtMs = Date.now();
  await store.ensureAccount({ id: FIRST_ACCOUNT_ID, name: 'First account', createdAtMs });
  if (await store.hasKeys()) return undefined;

  const { key, prefix, hash } = generateKey();
  const id = `key_${randomUUID().replaceAll('-', '')}`;
  const firstKey: StoredKey = {
    id,
    accountId: FIRST_ACCOUNT_ID,
    name: 'First key',
    prefix,
    hash,
    createdAtMs,
    expiresAtMs: undefined,
    revokedAtMs: undefined,
    lastUsedAtMs: undefined,
    scopes: SCOPES,
    meterId: id,
    spendCapNano: undefined,
    requestsPerMinute: undefined,
  };
  // The file is written first, so that a start that is killed in between leaves no key without a file.
  const writeKey = () => writeForOwner(join(dataFolder, 'first-key'), `${key}\n`);
  return (await store.addFirstKey(firstKey, writeKey)) ? key : undefined;
}

async function writeForOwner(path: string, content: string): Promise<void> {
  // With PostgreSQL nothing has created the data folder yet.
  await createFolder(dirname(path), 0o700);
  const temporary = `${path}.${process.pid}`;
  try {
    await writeFile(temporary, content, { mode: 0o600 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
