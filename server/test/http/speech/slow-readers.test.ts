import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { WorkerLostError } from '../../../src/domain/engines/worker-lost-error.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { createPacedSpeech, PacedWorkers } from '../../support/workers/paced-speech.ts';

/** 400 words, each one second of audio. */
const LONG_TEXT = 'one two three four five six seven eight nine ten. '.repeat(40);
const MINUTE_MS = 60_000;

async function withServer(
  speech: ReturnType<typeof createPacedSpeech>,
  work: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await startTestServer({ speech });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

/** Starts a stream and does not read its body. */
async function openStream(
  { url }: TestServer,
  key: string,
): Promise<{ sent: ClientRequest; response: IncomingMessage }> {
  const sent = request(`${url}/v1/tts`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  sent.on('error', () => {});
  sent.end(JSON.stringify({ text: LONG_TEXT, format: 'pcm' }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  response.pause();
  return { sent, response };
}

test('slow readers of one account do not take the capacity of another', () => {
  // Two streams use the only worker to the limit.
  const speech = createPacedSpeech(new PacedWorkers({ workSeconds: 0.4 }), { waitMs: 2000 });
  return withServer(speech, async (server) => {
    const slowKey = await server.createKeyFor('slow');
    const slow = await Promise.all(Array.from({ length: 6 }, () => openStream(server, slowKey)));
    const statuses = slow.map(({ response }) => response.statusCode);
    assert.deepEqual(new Set(statuses), new Set([200, 429]), `${statuses}`);
    for (let run = 0; run < 3; run++) {
      const response = await server.speak({ text: 'Hello there.', format: 'pcm' });
      assert.equal(response.status, 200);
      await response.arrayBuffer();
    }
    for (const { sent } of slow) sent.destroy();
  });
});

test('a request that is refused after its first audio leaves no load', async () => {
  const speech = createPacedSpeech(new PacedWorkers({ workSeconds: 0.4 }), { waitMs: 2000 });
  const server = await startTestServer({ speech, config: { billing: 'prepaid' } });
  try {
    const accountId = FIRST_ACCOUNT_ID;
    await server.accounts.accounting.ledger.topUp({ id: 'top', accountId, amountNano: 1_000_000, memo: '' });
    // One letter that is charged as 120 phonemes.
    const items = [{ key: 'q', value: 'AA1 '.repeat(120).trim() }];
    for (let run = 0; run < 4; run++) {
      const refused = await server.speak({ text: 'q one.', pronunciation_dictionary: [{ items }] });
      assert.equal(refused.headers.get('x-fish-error-code'), 'insufficient_balance');
    }
    const response = await server.speak({ text: 'Hello there.' });
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  } finally {
    await server.close();
  }
});

test('readers that have fallen behind real time do not take the capacity of their own account', () => {
  // The clock of the server is a hundred times as fast as the clients.
  const now = () => performance.now() * 100;
  const speech = createPacedSpeech(new PacedWorkers({ workSeconds: 0.4 }), { waitMs: 60_000, now });
  return withServer(speech, async (server) => {
    const slow = await Promise.all(Array.from({ length: 6 }, () => openStream(server, server.key)));
    assert.ok(slow.every(({ response }) => response.statusCode === 200));
    for (const { sent } of slow) sent.destroy();
  });
});

test('a client far below real time is disconnected, and pays for the audio that was sent', () => {
  const now = () => performance.now() * 100;
  const speech = createPacedSpeech(new PacedWorkers({ workSeconds: 0.01 }), {
    waitMs: 2000,
    slowReaderMs: MINUTE_MS,
    now,
  });
  return withServer(speech, async (server) => {
    const { response } = await openStream(server, server.key);
    const reading = setInterval(() => response.read(8192), 10);
    await new Promise((resolve) => response.once('close', resolve));
    clearInterval(reading);
    assert.equal(response.complete, false);
    const { usage } = server.accounts.accounting;
    const all = { accountId: FIRST_ACCOUNT_ID, fromMs: 0, toMs: Date.now() + MINUTE_MS, by: [] };
    let units = 0;
    await until('usage is recorded', async () => {
      units = (await usage.sum(all))[0]?.units ?? 0;
      return units > 0;
    });
    assert.ok(units < LONG_TEXT.length, `${units} of ${LONG_TEXT.length}`);
  });
});

test('a text on which two workers are lost gets 400, and other requests are served', () => {
  const workers = new PacedWorkers({ workSeconds: 0.01 });
  let losses = 0;
  workers.onUtterance = ({ words }) => {
    if (!words.some(({ text }) => text === 'poison')) return;
    losses += 1;
    throw new WorkerLostError('killed', { isSuspect: true });
  };
  return withServer(createPacedSpeech(workers, { waitMs: 2000 }), async (server) => {
    for (let run = 0; run < 3; run++) {
      const refused = await server.speak({ text: 'This is poison.', format: 'pcm' });
      assert.equal(refused.status, 400);
      assert.equal(refused.headers.get('x-fish-error-code'), 'text_not_synthesizable');
      assert.equal(losses, 2);
    }
    assert.equal((await server.speak({ text: 'This is harmless.', format: 'pcm' })).status, 200);
  });
});

test('a text whose later part loses workers is refused as a whole after two of them', () => {
  const workers = new PacedWorkers({ workSeconds: 0.01 });
  let losses = 0;
  workers.onUtterance = ({ words }) => {
    if (!words.some(({ text }) => text === 'poison')) return;
    losses += 1;
    throw new WorkerLostError('killed', { isSuspect: true });
  };
  return withServer(createPacedSpeech(workers, { waitMs: 2000 }), async (server) => {
    const text = `${LONG_TEXT.slice(0, 500)} This is poison.`;
    for (let run = 0; run < 2; run++) {
      const response = await server.speak({ text, format: 'pcm', sample_rate: 8000 });
      assert.equal(response.status, 200);
      await assert.rejects(response.arrayBuffer());
    }
    const refused = await server.speak({ text, format: 'pcm', sample_rate: 8000 });
    assert.equal(refused.status, 400);
    assert.equal(refused.headers.get('x-fish-error-code'), 'text_not_synthesizable');
    assert.equal(losses, 2);
  });
});
