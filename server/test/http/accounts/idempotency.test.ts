import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../src/config/config.ts';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import type { SpeechService } from '../../../src/domain/speech/speech-service.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { ToneSpeech } from '../../support/workers/tone-speech.ts';

const BYTE_NANO = 15_000;
const once = { 'idempotency-key': 'once' };

async function withServer(
  work: (server: TestServer, spentNano: () => Promise<number>) => Promise<void>,
  options: { config?: Partial<Config>; speech?: Partial<SpeechService> } = {},
): Promise<void> {
  const server = await startTestServer({ ...options, config: { billing: 'prepaid', ...options.config } });
  const { ledger } = server.accounts.accounting;
  await ledger.topUp({ id: 'top', accountId: FIRST_ACCOUNT_ID, amountNano: NANO_PER_USD, memo: '' });
  try {
    await work(server, async () => (await ledger.wallet(FIRST_ACCOUNT_ID)).spentNano);
    assert.deepEqual((await ledger.verify()).problems, []);
  } finally {
    await server.close();
  }
}

test('a repeated request gets the stored audio and is charged once', () =>
  withServer(async (server, spentNano) => {
    const first = await server.speak({ text: 'Hello', format: 'pcm' }, once);
    const audio = Buffer.from(await first.arrayBuffer());
    await until('it is settled', async () => (await spentNano()) === 5 * BYTE_NANO);
    // The same request with fields in another order and explicit defaults.
    const second = await server.speak({ format: 'pcm', temperature: 0.7, text: 'Hello' }, once);
    assert.equal(second.status, 200);
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
    for (const name of ['content-type', 'x-mynah-voice', 'x-mynah-cost']) {
      assert.equal(second.headers.get(name), first.headers.get(name), name);
    }
    assert.deepEqual(Buffer.from(await second.arrayBuffer()), audio);
    assert.equal(server.speech.requests.length, 1);
    assert.equal(await spentNano(), 5 * BYTE_NANO);
  }));

test('another body with the same key is rejected; another key is a new request', () =>
  withServer(async (server) => {
    await (await server.speak({ text: 'Hello' }, once)).arrayBuffer();
    const other = await server.speak({ text: 'Hello!' }, once);
    assert.equal(other.status, 422);
    assert.equal(other.headers.get('x-fish-error-code'), 'idempotency_key_reused');
    assert.equal((await server.speak({ text: 'Hello' }, { ...once, model: 's1' })).status, 422);
    assert.equal((await server.speak({ text: 'Hello!' }, { 'idempotency-key': 'twice' })).status, 200);
  }));

test('the keys of two accounts are independent', () =>
  withServer(async (server) => {
    await (await server.speak({ text: 'Hello' }, { ...once, model: 's2.1-pro-free' })).arrayBuffer();
    await server.accounts.keyStore.ensureAccount({ id: 'acc_2', name: 'Two', createdAtMs: 1 });
    const { key } = await server.keys.create({ accountId: 'acc_2', name: 'two' });
    const headers = { ...once, model: 's2.1-pro-free', authorization: `Bearer ${key}` };
    assert.equal((await server.speak({ text: 'Something else' }, headers)).status, 200);
  }));

test('while the first request is running, a second one is rejected with Retry-After', () => {
  const speech = new ToneSpeech();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isRunning = false;
  const slow: Pick<SpeechService, 'speak'> = {
    speak: async (request, signal) => {
      isRunning = true;
      await held;
      return speech.speak(request, signal);
    },
  };
  return withServer(
    async (server) => {
      const first = server.speak({ text: 'Hello' }, once);
      await until('it is running', () => isRunning);
      const second = await server.speak({ text: 'Hello' }, once);
      assert.equal(second.status, 409);
      assert.equal(second.headers.get('x-fish-error-code'), 'idempotency_in_progress');
      assert.equal(second.headers.get('retry-after'), '1');
      release();
      await (await first).arrayBuffer();
      await until(
        'it can be had again',
        async () => (await server.speak({ text: 'Hello' }, once)).status === 200,
      );
      assert.equal(speech.requests.length, 1);
    },
    { speech: slow },
  );
});

test('a request that is repeated just before the first one ends gets the same response', () => {
  const speech = new ToneSpeech();
  let isRunning = false;
  const slow: Pick<SpeechService, 'speak'> = {
    speak: async (request, signal) => {
      isRunning = true;
      await sleep(150);
      return speech.speak(request, signal);
    },
  };
  return withServer(
    async (server) => {
      const read = async (response: Promise<Response>) => (await response).arrayBuffer();
      const first = read(server.speak({ text: 'Hello' }, once));
      await until('it is running', () => isRunning);
      const second = await server.speak({ text: 'Hello' }, once);
      assert.equal(second.headers.get('idempotency-replayed'), 'true');
      assert.deepEqual(await second.arrayBuffer(), await first);
      assert.equal(speech.requests.length, 1);
    },
    { speech: slow },
  );
});

test('an error is not stored: the request can be repeated', () =>
  withServer(async (server) => {
    const none = { ...once, authorization: `Bearer ${await keyOfPoorAccount(server)}` };
    assert.equal((await server.speak({ text: 'Hello there' }, none)).status, 402);
    await server.accounts.accounting.ledger.topUp({
      id: 't',
      accountId: 'acc_2',
      amountNano: NANO_PER_USD,
      memo: '',
    });
    assert.equal((await server.speak({ text: 'Hello there' }, none)).status, 200);
  }));

async function keyOfPoorAccount(server: TestServer): Promise<string> {
  await server.accounts.keyStore.ensureAccount({ id: 'acc_2', name: 'Two', createdAtMs: 1 });
  return (await server.keys.create({ accountId: 'acc_2', name: 'two' })).key;
}

test('a response too large to store is neither repeated nor charged again: the error is idempotency_outcome_gone', () =>
  withServer(
    async (server, spentNano) => {
      await (await server.speak({ text: 'Hello' }, once)).arrayBuffer();
      await until('it is settled', async () => (await spentNano()) > 0);
      await until('it is over', async () => {
        const code = (await server.speak({ text: 'Hello' }, once)).headers.get('x-fish-error-code');
        return code === 'idempotency_outcome_gone';
      });
      assert.equal(server.speech.requests.length, 1);
      assert.equal(await spentNano(), 5 * BYTE_NANO);
    },
    { config: { idempotencyBodyMaxBytes: 1000 } },
  ));

test('an interrupted request is charged only the rest when it is repeated', () => {
  let tries = 0;
  const tone = new ToneSpeech();
  const breaksOnce: Pick<SpeechService, 'speak'> = {
    async speak(request, signal) {
      tries += 1;
      if (tries > 1) return tone.speak(request, signal);
      let deliveredBytes = 0;
      async function* body(): AsyncGenerator<Uint8Array> {
        deliveredBytes = 10;
        yield new Uint8Array(1000);
        await sleep(100);
        throw new Error('the engine broke');
      }
      const result = await tone.speak(request, signal);
      return { ...result, body: body(), deliveredBytes: () => deliveredBytes };
    },
  };
  return withServer(
    async (server, spentNano) => {
      const text = 'First ten. And then the rest of it.';
      // The connection may be cut before the client has received the start.
      await assert.rejects(server.speak({ text }, once).then((response) => response.arrayBuffer()));
      await until('it is settled', async () => (await spentNano()) === 10 * BYTE_NANO);
      const second = await server.speak({ text }, once);
      assert.equal(second.headers.get('x-mynah-cost'), '0.000375');
      await second.arrayBuffer();
      await until('it is settled', async () => (await spentNano()) === text.length * BYTE_NANO);
    },
    { speech: breaksOnce },
  );
});

test('an invalid idempotency key is rejected', () =>
  withServer(async (server) => {
    for (const key of ['x'.repeat(256), 'with space']) {
      assert.equal((await server.speak({ text: 'Hello' }, { 'idempotency-key': key })).status, 400);
    }
  }));

for (const { name, query, headers } of [
  { name: 'a transcript', query: '', headers: {} },
  { name: 'a transcript as events', query: '', headers: { accept: 'text/event-stream' } },
  { name: 'a job', query: '?async=true', headers: {} },
]) {
  test(`${name} is transcribed and charged once per key, and another recording is rejected`, () =>
    withServer(async (server, spentNano) => {
      const hear = (words: string) => {
        const body = new FormData();
        body.set('audio', new Blob([`audio:${words}`]));
        return server.call(`/v1/asr${query}`, { method: 'POST', body, headers: { ...headers, ...once } });
      };
      const first = await hear('one two three');
      const text = await first.text();
      await until('it is settled', async () => (await spentNano()) === 200_000);
      const second = await hear('one two three');
      assert.equal(second.status, first.status);
      assert.equal(second.headers.get('idempotency-replayed'), 'true');
      assert.equal(second.headers.get('content-type'), first.headers.get('content-type'));
      assert.equal(await second.text(), text);
      assert.equal(server.transcription.requests.length, 1);
      assert.equal(await spentNano(), 200_000);
      assert.equal((await hear('one two four')).status, 422);
    }));
}
