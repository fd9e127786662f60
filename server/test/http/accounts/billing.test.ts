import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../src/config/config.ts';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import type { SpeechService } from '../../../src/domain/speech/speech-service.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

/** Price of one byte of text. */
const BYTE_NANO = 15_000;

interface PaidServer extends TestServer {
  topUp(amountNano: number): Promise<unknown>;
  wallet(): Promise<{ availableNano: number; heldNano: number; spentNano: number }>;
}

/** Runs a test on a server with prepaid billing, and verifies its ledger afterwards. */
async function withPaidServer(
  work: (server: PaidServer) => Promise<void>,
  options: { config?: Partial<Config>; speech?: Partial<SpeechService> } = {},
): Promise<void> {
  const server = await startTestServer({
    ...options,
    config: { billing: 'prepaid', concurrencyTiers: { 0: 500 }, queueMax: 1000, ...options.config },
  });
  const { ledger } = server.accounts.accounting;
  try {
    await work({
      ...server,
      wallet: () => ledger.wallet(FIRST_ACCOUNT_ID),
      topUp: (amountNano) =>
        ledger.topUp({
          id: `top-${Math.random()}`,
          accountId: FIRST_ACCOUNT_ID,
          amountNano,
          memo: '',
        }),
    });
    await until('all holds have ended', async () => (await ledger.verify()).openHolds === 0);
    assert.deepEqual((await ledger.verify()).problems, []);
  } finally {
    await server.close();
  }
}

async function expectNoCredit(response: Response): Promise<void> {
  assert.equal(response.status, 402);
  assert.equal(response.headers.get('x-fish-error-code'), 'insufficient_balance');
  const body = (await response.json()) as { status: number; message: string };
  assert.deepEqual(Object.keys(body), ['status', 'message']);
  assert.match(body.message, /^Insufficient API credit\./);
}

test('without credit every body gets 402, and a wrong key 401', () =>
  withPaidServer(async (server) => {
    await expectNoCredit(await server.speak({ text: 'Hello' }));
    await expectNoCredit(await server.speak('{'));
    await expectNoCredit(await server.speak({ text: 'Hello', format: 'cassette' }));
    await expectNoCredit(await server.speak('x', { 'content-type': 'text/plain' }));
    assert.equal((await server.speak('{', { authorization: 'Bearer x' })).status, 401);
    assert.equal(server.speech.requests.length, 0);
  }));

test('the free model needs no credit', () =>
  withPaidServer(async (server) => {
    const response = await server.speak({ text: 'Hello' }, { model: 's2.1-pro-free' });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-mynah-cost'), '0');
    await response.arrayBuffer();
  }));

test('speech is charged per UTF-8 byte, and a header has the amount', () =>
  withPaidServer(async (server) => {
    await server.topUp(NANO_PER_USD);
    const response = await server.speak({ text: 'Grüße' });
    assert.equal(response.headers.get('x-mynah-cost'), '0.000105');
    await response.arrayBuffer();
    await until('it is settled', async () => (await server.wallet()).spentNano === 7 * BYTE_NANO);
    assert.equal((await server.wallet()).availableNano, NANO_PER_USD - 7 * BYTE_NANO);
  }));

test('a text above the credit gets 402, and an invalid body 400', () =>
  withPaidServer(async (server) => {
    await server.topUp(10 * BYTE_NANO);
    await expectNoCredit(await server.speak({ text: 'eleven byte' }));
    assert.equal((await server.speak({ text: 'ten', format: 'cassette' })).status, 400);
    assert.equal((await server.speak({ text: 'ten bytes!' })).status, 200);
  }));

test('300 requests at once against credit for 100: 100 are served, 200 get 402, nothing is left', () =>
  withPaidServer(async (server) => {
    await server.topUp(100 * 5 * BYTE_NANO);
    const statuses = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const response = await server.speak({ text: 'five!', format: 'pcm', sample_rate: 8000 });
        await response.arrayBuffer();
        return response.status;
      }),
    );
    assert.equal(statuses.filter((status) => status === 200).length, 100);
    assert.equal(statuses.filter((status) => status === 402).length, 200);
    await until('all is settled', async () => (await server.wallet()).spentNano === 500 * BYTE_NANO);
    assert.equal((await server.wallet()).availableNano, 0);
  }));

test('a failure before the first audio is not charged', () =>
  withPaidServer(
    async (server) => {
      await server.topUp(NANO_PER_USD);
      assert.equal((await server.speak({ text: 'Hello' })).status, 500);
      assert.equal((await server.wallet()).availableNano, NANO_PER_USD);
    },
    { speech: { speak: () => Promise.reject(new Error('broken')) } },
  ));

/** Speech that delivers ten characters, then hangs or fails. */
function halfSpeech(isBroken: boolean): Pick<SpeechService, 'speak'> {
  return {
    async speak(_request, signal) {
      let deliveredBytes = 0;
      async function* body(): AsyncGenerator<Uint8Array> {
        deliveredBytes = 10;
        yield new Uint8Array(1000);
        // The start must be sent before the end.
        if (isBroken) await sleep(100);
        while (!isBroken && !signal.aborted) await sleep(5);
        throw new Error('the engine broke');
      }
      return {
        contentType: 'audio/pcm',
        model: 's1',
        engine: 'half',
        voice: 'half',
        body: body(),
        deliveredBytes: () => deliveredBytes,
        dictionaryBytes: () => 0,
      };
    },
  };
}

test('a failure during the stream is charged for the delivered text', () =>
  withPaidServer(
    async (server) => {
      await server.topUp(NANO_PER_USD);
      // The connection may be cut before the client has received the start.
      const spoken = server.speak({ text: 'First ten. And then the rest of it.' });
      await assert.rejects(spoken.then((response) => response.arrayBuffer()));
      await until('it is settled', async () => (await server.wallet()).spentNano > 0);
      assert.equal((await server.wallet()).spentNano, 10 * BYTE_NANO);
    },
    { speech: halfSpeech(true) },
  ));

test('a client that disconnects is charged for the delivered text', () =>
  withPaidServer(
    async (server) => {
      await server.topUp(NANO_PER_USD);
      const leave = new AbortController();
      const response = await server.call('/v1/tts', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'First ten. And then the rest of it.' }),
        signal: leave.signal,
      });
      await response.body!.getReader().read();
      leave.abort();
      await until('it is settled', async () => (await server.wallet()).spentNano > 0);
      assert.equal((await server.wallet()).spentNano, 10 * BYTE_NANO);
    },
    { speech: halfSpeech(false) },
  ));

test('without billing no request is rejected, the wallet shows unlimited credit, and usage is recorded', async () => {
  const server = await startTestServer();
  try {
    const response = await server.speak({ text: 'Hello' });
    assert.equal(response.headers.get('x-mynah-cost'), '0');
    await response.arrayBuffer();
    const credit = (await (await server.call('/wallet/self/api-credit')).json()) as { credit: string };
    assert.equal(credit.credit, '1000000.000000');
    const { usage } = server.accounts.accounting;
    const all = { accountId: FIRST_ACCOUNT_ID, fromMs: 0, toMs: Date.now() + 1000, by: [] };
    await until('it is counted', async () => (await usage.sum(all))[0]?.units === 5);
  } finally {
    await server.close();
  }
});

test('the wallet has the format that clients parse', () =>
  withPaidServer(async (server) => {
    await server.topUp(10 * NANO_PER_USD + 1);
    const response = await server.call('/wallet/self/api-credit?check_free_credit=false&team_id=');
    const credit = (await response.json()) as Record<string, unknown>;
    assert.equal(credit.credit, '10.000000');
    assert.equal(credit.cumulative_top_up, '10.000000001');
    assert.match(String(credit._id), /^[0-9a-f]{32}$/);
    assert.equal(credit.has_phone_sha256, false);
    const plan = (await (await server.call(`/wallet/${credit.user_id}/package`)).json()) as Record<
      string,
      unknown
    >;
    assert.equal(plan.user_id, credit.user_id);
    assert.equal(typeof plan.finished_at, 'string');
    assert.equal(plan.balance, 0);
    const other = await server.call('/wallet/0123456789abcdef0123456789abcdef/api-credit');
    assert.equal(other.status, 403);
    assert.equal(other.headers.get('x-fish-error-code'), 'not_yours');
  }));

test('a key is rejected at its spend cap while other keys of the account work', () =>
  withPaidServer(async (server) => {
    await server.topUp(NANO_PER_USD);
    const capped = await server.keys.create({
      accountId: FIRST_ACCOUNT_ID,
      name: 'capped',
      spendCapNano: 8 * BYTE_NANO,
    });
    const authorization = `Bearer ${capped.key}`;
    assert.equal((await server.speak({ text: 'hello' }, { authorization })).status, 200);
    const refused = await server.speak({ text: 'hello' }, { authorization });
    assert.equal(refused.status, 402);
    assert.equal(refused.headers.get('x-fish-error-code'), 'spend_cap_reached');
    assert.equal((await server.speak({ text: 'hello' })).status, 200);
  }));

/** Price of one second of audio. */
const SECOND_NANO = 100_000;
/** Three words of half a second each: two seconds, rounded up. */
const RECORDING = new Blob(['audio:one two three']);

function transcribe(server: TestServer, query = ''): Promise<Response> {
  const body = new FormData();
  body.set('audio', RECORDING);
  return server.call(`/v1/asr${query}`, { method: 'POST', body });
}

test('transcription is charged per second, rounded up, and failures are not charged', () =>
  withPaidServer(async (server) => {
    await expectNoCredit(await transcribe(server));
    await server.topUp(10 * SECOND_NANO);
    const response = await transcribe(server);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-mynah-cost'), '0.0002');
    await until('it is settled', async () => (await server.wallet()).spentNano === 2 * SECOND_NANO);
    server.transcription.failure = { line: 0, error: new Error('deaf') };
    assert.equal((await transcribe(server)).status, 500);
    assert.equal((await server.wallet()).spentNano, 2 * SECOND_NANO);
    assert.equal((await server.wallet()).availableNano, 8 * SECOND_NANO);
  }));

test('a recording that costs more than the credit is neither delivered nor charged', () =>
  withPaidServer(async (server) => {
    await server.topUp(SECOND_NANO);
    await expectNoCredit(await transcribe(server));
    assert.deepEqual((await server.wallet()).availableNano, SECOND_NANO);
  }));

test('a transcription job is charged once at its end, and fails without credit', () =>
  withPaidServer(async (server) => {
    await server.topUp(3 * SECOND_NANO);
    const job = async (): Promise<string> => {
      const { id } = (await (await transcribe(server, '?async=true')).json()) as { id: string };
      let status = '';
      await until('the job ends', async () => {
        ({ status } = (await (await server.call(`/v1/asr/${id}`)).json()) as { status: string });
        return status === 'finished' || status === 'failed';
      });
      return status;
    };
    assert.equal(await job(), 'finished');
    assert.equal((await server.wallet()).spentNano, 2 * SECOND_NANO);
    assert.equal(await job(), 'failed');
    assert.equal((await server.wallet()).availableNano, SECOND_NANO);
  }));
