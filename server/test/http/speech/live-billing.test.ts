import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { openLiveSpeech } from '../../support/calls/live-speech-client.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

const BYTE_NANO = 15_000;

async function withPrepaidServer(
  topUpNano: number,
  work: (server: TestServer & { spentNano: () => Promise<number> }) => Promise<void>,
): Promise<void> {
  const server = await startTestServer({ config: { billing: 'prepaid' } });
  const { ledger } = server.accounts.accounting;
  try {
    if (topUpNano > 0) {
      await ledger.topUp({ id: 'top', accountId: FIRST_ACCOUNT_ID, amountNano: topUpNano, memo: '' });
    }
    await work({ ...server, spentNano: async () => (await ledger.wallet(FIRST_ACCOUNT_ID)).spentNano });
    await until('no open holds', async () => (await ledger.verify()).openHolds === 0);
    assert.deepEqual((await ledger.verify()).problems, []);
  } finally {
    await server.close();
  }
}

test('a live session costs the UTF-8 bytes of its text', () =>
  withPrepaidServer(NANO_PER_USD, async (server) => {
    const client = await openLiveSpeech(server);
    await client.speak(['Grüße', ' an', ' alle.']);
    await until('the charge is settled', async () => (await server.spentNano()) === 16 * BYTE_NANO);
    await client.speak([]);
    client.socket.close();
    assert.equal(await server.spentNano(), 16 * BYTE_NANO);
  }));

test('credit is spendable to the last byte, and a text that exceeds it ends the session', () =>
  withPrepaidServer(10 * BYTE_NANO, async (server) => {
    const client = await openLiveSpeech(server);
    const frames = await client.speak(['ten ', 'bytes!', ' And one more.']);
    assert.equal(frames.find(({ event }) => event === 'error')?.code, 'insufficient_balance');
    await client.closed;
  }));

test('without credit the handshake gets status 402', () =>
  withPrepaidServer(0, async (server) => {
    await assert.rejects(openLiveSpeech(server), /402/);
  }));
