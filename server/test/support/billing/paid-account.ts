import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TestServer } from '../servers/http-server.ts';
import { until } from '../servers/real-server.ts';

/** A server and a new account with credit. `key` and `call` are those of the account. */
export interface PaidServer extends TestServer {
  spentNano(): Promise<number>;
}

/** Runs a test with a new account. Afterwards no hold may be open, and the ledger must be balanced. */
export async function withPaidAccount(
  server: TestServer,
  creditNano: number,
  work: (server: PaidServer) => Promise<void>,
): Promise<void> {
  const { ledger } = server.accounts.accounting;
  const accountId = `acc_${randomUUID()}`;
  const key = await server.createKeyFor(accountId);
  await ledger.topUp({ id: accountId, accountId, amountNano: creditNano, memo: '' });
  await work({
    ...server,
    key,
    call: (path, init = {}) =>
      server.call(path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } }),
    spentNano: async () => (await ledger.wallet(accountId)).spentNano,
  });
  await until('all holds have ended', async () => (await ledger.verify()).openHolds === 0);
  assert.deepEqual((await ledger.verify()).problems, []);
}
