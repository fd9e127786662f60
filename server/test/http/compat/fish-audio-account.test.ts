import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FishAudioClient } from 'fish-audio';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

let server: TestServer;
let client: FishAudioClient;
before(async () => {
  server = await startTestServer({ config: { billing: 'prepaid' } });
  client = new FishAudioClient({ apiKey: server.key, baseUrl: server.url });
});
after(() => server.close());

test('the official client reads the credit', async () => {
  const { ledger } = server.accounts.accounting;
  await ledger.topUp({ id: 'top', accountId: FIRST_ACCOUNT_ID, amountNano: 10 * NANO_PER_USD, memo: '' });
  const credit = await client.user.get_api_credit();
  assert.equal(credit.credit, '10.000000');
  assert.equal(Number.isNaN(Date.parse(String(credit.created_at))), false);
});

test('the official client reads the package', async () => {
  const plan = await client.user.get_package();
  assert.equal(plan.total, 0);
  assert.equal(plan.type, 'free');
});

test('the official client gets status 402 without credit', async () => {
  await server.accounts.keyStore.ensureAccount({ id: 'acc_2', name: 'Two', createdAtMs: 1 });
  const { key } = await server.keys.create({ accountId: 'acc_2', name: 'two' });
  const withoutCredit = new FishAudioClient({ apiKey: key, baseUrl: server.url });
  await assert.rejects(
    async () => withoutCredit.textToSpeech.convert({ text: 'Hello' }, 's1'),
    (error: { statusCode?: number; body?: unknown }) =>
      error.statusCode === 402 && /Insufficient API credit/.test(JSON.stringify(error.body)),
  );
});
