import { FIRST_ACCOUNT_ID } from '../src/domain/accounts/keys/first-key.ts';
import { NANO_MAX } from '../src/domain/accounts/ledger/money.ts';
import { startTestServer, type TestServer } from '../test/support/http-server.ts';
import { answerQuestions } from './asked-process.ts';

/** What a server with a tone for a voice is asked: to begin, or how much CPU it has used since. */
export type BillingQuestion = { readonly billing: 'off' | 'prepaid' } | { readonly cpuMs: true };
export interface BillingAnswer {
  readonly url: string;
  readonly key: string;
  readonly cpuMs: number;
}

let server: TestServer | undefined;

answerQuestions(async (question: BillingQuestion): Promise<BillingAnswer> => {
  if ('billing' in question) {
    server = await startTestServer({ config: { billing: question.billing } });
    const { ledger } = server.books.accounting;
    await ledger.topUp({ id: 'credit', accountId: FIRST_ACCOUNT_ID, amountNano: NANO_MAX, memo: '' });
  }
  const { user, system } = process.cpuUsage();
  return { url: server!.url, key: server!.key, cpuMs: (user + system) / 1000 };
});
process.once('SIGTERM', () => void server?.close().finally(() => process.exit(0)));
