import { FIRST_ACCOUNT_ID } from '../../src/domain/accounts/keys/first-key.ts';
import { NANO_MAX } from '../../src/domain/accounts/ledger/money.ts';
import { startTestServer, type TestServer } from '../../test/support/servers/http-server.ts';
import { serveCalls } from './rpc-process.ts';

/** Calls to a server with a tone generator as its engine: start it, or read its CPU time. */
export type BillingCall =
  | { readonly type: 'start'; readonly billing: 'off' | 'prepaid' }
  | { readonly type: 'cpu' };
export interface BillingResult {
  readonly url: string;
  readonly key: string;
  readonly cpuMs: number;
}

let server: TestServer | undefined;

serveCalls(async (call: BillingCall): Promise<BillingResult> => {
  if (call.type === 'start') {
    server = await startTestServer({ config: { billing: call.billing } });
    const { ledger } = server.accounts.accounting;
    await ledger.topUp({ id: 'credit', accountId: FIRST_ACCOUNT_ID, amountNano: NANO_MAX, memo: '' });
  }
  const { user, system } = process.cpuUsage();
  return { url: server!.url, key: server!.key, cpuMs: (user + system) / 1000 };
});
process.once('SIGTERM', () => void server?.close().finally(() => process.exit(0)));
