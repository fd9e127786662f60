import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../src/config/config.ts';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import type { SpeechService } from '../../../src/domain/speech/speech-service.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { ToneSpeech } from '../../support/workers/tone-speech.ts';

async function withServer(
  work: (server: TestServer) => Promise<void>,
  options: { config?: Partial<Config>; speech?: Partial<SpeechService> } = {},
): Promise<void> {
  const server = await startTestServer(options);
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

/** Speech that starts on `open`, and records the order of the requests. */
class GatedSpeech implements Pick<SpeechService, 'speak'> {
  readonly order: string[] = [];
  readonly #tone = new ToneSpeech();
  readonly #gates: (() => void)[] = [];

  async speak(...args: Parameters<SpeechService['speak']>) {
    this.order.push(args[0].text);
    await new Promise<void>((resolve) => this.#gates.push(resolve));
    return this.#tone.speak(...args);
  }

  /** Starts the oldest queued request. */
  open(): void {
    this.#gates.shift()?.();
  }

  get waiting(): number {
    return this.#gates.length;
  }
}

async function eventually(isTrue: () => boolean): Promise<void> {
  for (let time = 0; time < 6000 && !isTrue(); time += 1) await sleep(10);
  assert.ok(isTrue());
}

const short = (text: string) => ({ text, format: 'pcm', sample_rate: 8000 });

test('requests above the concurrency limit of the tier are queued, and the headers give the state', () => {
  const speech = new GatedSpeech();
  return withServer(
    async (server) => {
      const first = server.speak(short('first'));
      await eventually(() => speech.waiting === 1);
      const second = server.speak(short('second'));
      await sleep(100);
      assert.deepEqual(speech.order, ['first']);
      speech.open();
      const response = await first;
      assert.equal(response.headers.get('ratelimit-limit-concurrency'), '1');
      assert.equal(response.headers.get('ratelimit-current-concurrency'), '1');
      assert.equal(response.headers.get('ratelimit-remaining-concurrency'), '0');
      await response.arrayBuffer();
      await eventually(() => speech.waiting === 1);
      speech.open();
      assert.equal((await second).status, 200);
    },
    { speech, config: { concurrencyMax: 1 } },
  );
});

test('a request that times out in the queue gets 429 with the documented message and Retry-After', () => {
  const speech = new GatedSpeech();
  return withServer(
    async (server) => {
      const first = server.speak(short('first'));
      await eventually(() => speech.waiting === 1);
      const refused = await server.speak(short('second'));
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get('x-fish-error-code'), 'concurrency_exceeded');
      assert.ok(Number(refused.headers.get('retry-after')) >= 1);
      const { message } = (await refused.json()) as { message: string };
      assert.match(message, /exceeded your current concurrency limit/);
      speech.open();
      await (await first).arrayBuffer();
    },
    { speech, config: { concurrencyMax: 1, queueSeconds: 0 } },
  );
});

test('200 requests of one account do not delay a single request of another', () => {
  const speech = new GatedSpeech();
  return withServer(
    async (server) => {
      await server.accounts.keyStore.ensureAccount({ id: 'acc_2', name: 'Two', createdAtMs: 1 });
      const { key } = await server.keys.create({ accountId: 'acc_2', name: 'two' });
      const flood = Array.from({ length: 200 }, (_, index) => server.speak(short(`flood ${index}`)));
      await eventually(() => speech.waiting === 4);
      const single = server.speak(short('single'), { authorization: `Bearer ${key}` });
      await eventually(() => speech.order.includes('single'));
      assert.equal(speech.order.length, 5);
      const opening = setInterval(() => speech.open(), 1);
      await (await single).arrayBuffer();
      const statuses = await Promise.all(flood.map(async (answer) => (await answer).status));
      clearInterval(opening);
      assert.ok(statuses.every((status) => status === 200));
    },
    { speech, config: { startingMax: 8 } },
  );
});

test('a key over its rate limit gets 429 with Retry-After; other keys do not', () =>
  withServer(async (server) => {
    const { key } = await server.keys.create({
      accountId: FIRST_ACCOUNT_ID,
      name: 'slow',
      requestsPerMinute: 2,
    });
    const ask = () => fetch(`${server.url}/model`, { headers: { authorization: `Bearer ${key}` } });
    const first = await ask();
    assert.equal(first.headers.get('ratelimit-limit'), '2');
    assert.equal(first.headers.get('ratelimit-remaining'), '1');
    assert.equal((await ask()).status, 200);
    const refused = await ask();
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('x-fish-error-code'), 'rate_limited');
    assert.equal(refused.headers.get('retry-after'), '30');
    assert.equal((await server.call('/model')).status, 200);
  }));

test('a key can use only the routes of its scopes', () =>
  withServer(async (server) => {
    const { key } = await server.keys.create({
      accountId: FIRST_ACCOUNT_ID,
      name: 'reader',
      scopes: ['voices:read'],
    });
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await fetch(`${server.url}/model`, { headers })).status, 200);
    for (const path of ['/wallet/self/api-credit', '/v1/usage', '/v1/admin/accounts']) {
      const refused = await fetch(server.url + path, { headers });
      assert.equal(refused.status, 403);
      assert.equal(refused.headers.get('x-fish-error-code'), 'insufficient_scope');
    }
    assert.equal((await server.speak(short('hi'), headers)).status, 403);
  }));

test('in open mode a bearer token names a tenant, and a request without a token is rejected', () =>
  withServer(
    async (server) => {
      const as = (token: string) => server.speak(short('hi'), { authorization: `Bearer ${token}` });
      assert.equal((await as('living-room')).status, 200);
      assert.equal((await fetch(`${server.url}/model`)).status, 401);
      const accounts = await server.accounts.administration.listAccounts();
      assert.ok(accounts.some(({ name }) => name === 'living-room'));
      const admin = { authorization: 'Bearer living-room' };
      assert.equal((await fetch(`${server.url}/v1/admin/accounts`, { headers: admin })).status, 403);
    },
    { config: { openMode: true } },
  ));
