import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_ACCOUNT_ID } from '../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../src/domain/accounts/ledger/money.ts';
import { startTestServer, type TestServer } from '../support/http-server.ts';
import { openLive } from '../support/live-speech-client.ts';
import { until } from '../support/real-server.ts';

const BYTE_NANO = 15_000;

async function withPaidServer(
  topUpNano: number,
  work: (server: TestServer & { spentNano: () => Promise<number> }) => Promise<void>,
): Promise<void> {
  const server = await startTestServer({ config: { billing: 'prepaid' } });
  const { ledger } = server.books.accounting;
  try {
    if (topUpNano > 0) {
      await ledger.topUp({ id: 'top', accountId: FIRST_ACCOUNT_ID, amountNano: topUpNano, memo: '' });
    }
    await work({ ...server, spentNano: async () => (await ledger.wallet(FIRST_ACCOUNT_ID)).spentNano });
    await until('all holds have ended', async () => (await ledger.verify()).openHolds === 0, 5000);
    assert.deepEqual((await ledger.verify()).problems, []);
  } finally {
    await server.close();
  }
}

test('a live session costs the UTF-8 bytes of its text', () =>
  withPaidServer(NANO_PER_USD, async (server) => {
    const client = await openLive(server);
    await client.speak(['Grüße', ' an', ' alle.']);
    await until('it is settled', async () => (await server.spentNano()) === 16 * BYTE_NANO, 5000);
    await client.speak([]);
    client.socket.close();
    assert.equal(await server.spentNano(), 16 * BYTE_NANO);
  }));

test('credit is spent to the byte, and a text that costs more ends its session', () =>
  withPaidServer(10 * BYTE_NANO, async (server) => {
    const client = await openLive(server);
    const frames = await client.speak(['ten ', 'bytes!', ' And one more.']);
    assert.equal(frames.find(({ event }) => event === 'error')?.code, 'insufficient_balance');
    await client.closed;
  }));

test('without credit the handshake is a 402', () =>
  withPaidServer(0, async (server) => {
    await assert.rejects(openLive(server), /402/);
  }));
