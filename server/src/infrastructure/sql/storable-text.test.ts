import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { testOnEachDatabase } from '../../../test/support/sql/databases.ts';
import { SqlKeyStore } from './sql-key-store.ts';

testOnEachDatabase('text with U+0000 is an invalid request', async (db) => {
  const account = { id: randomUUID(), name: 'A\0B', createdAtMs: 1 };
  await assert.rejects(new SqlKeyStore(db).ensureAccount(account), { code: 'invalid_request', status: 400 });
  await assert.rejects(new SqlKeyStore(db).findAccount('a\0b'), { code: 'invalid_request' });
  assert.deepEqual(await new SqlKeyStore(db).listAccounts(), []);
});
