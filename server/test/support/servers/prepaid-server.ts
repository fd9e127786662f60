import assert from 'node:assert/strict';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './http-server.ts';
import { until } from './real-server.ts';

/** Default price of one byte of text, of one second of transcribed audio, and of one voice design. */
export const BYTE_NANO = 15_000;
export const SECOND_NANO = 100_000;
export const DESIGN_NANO = 10_000_000;

export interface PrepaidServer extends TestServer {
  readonly topUp: (amountNano: number) => Promise<unknown>;
  readonly wallet: () => Promise<{ availableNano: number; heldNano: number; spentNano: number }>;
  /** Waits until exactly this amount has been charged and nothing is held. */
  readonly assertSpent: (amountNano: number) => Promise<void>;
}

/** Runs a test on a server with prepaid billing, and verifies its ledger afterwards. */
export async function withPrepaidServer(
  work: (server: PrepaidServer) => Promise<void>,
  options: TestServerOptions = {},
): Promise<void> {
  const server = await startTestServer({ ...options, config: { billing: 'prepaid', ...options.config } });
  const { ledger } = server.accounts.accounting;
  const wallet = () => ledger.wallet(FIRST_ACCOUNT_ID);
  const endHolds = () => until('all holds have ended', async () => (await ledger.verify()).openHolds === 0);
  let topUps = 0;
  try {
    await work({
      ...server,
      wallet,
      topUp: (amountNano) =>
        ledger.topUp({ id: `top-${topUps++}`, accountId: FIRST_ACCOUNT_ID, amountNano, memo: '' }),
      assertSpent: async (amountNano) => {
        await until('it is charged', async () => (await wallet()).spentNano >= amountNano);
        await endHolds();
        assert.equal((await wallet()).spentNano, amountNano);
      },
    });
    await endHolds();
    assert.deepEqual((await ledger.verify()).problems, []);
  } finally {
    await server.close();
  }
}
