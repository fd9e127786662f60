import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FIRST_ACCOUNT_ID } from '../../src/domain/accounts/keys/first-key.ts';
import { type RealServer, startRealServer, until } from '../support/servers/real-server.ts';

const MICRO_PER_BYTE = 15;
const MICRO_PER_SECOND = 100;

let server: RealServer;
before(async () => {
  server = await startRealServer({ env: { MYNAH_BILLING: 'prepaid' } });
  const response = await call(`/v1/admin/accounts/${FIRST_ACCOUNT_ID}/credit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'top_up', usd: '10' }),
  });
  assert.equal(response.status, 200, await response.text());
});
after(() => server.close());

function call(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(server.url + path, {
    ...init,
    headers: { authorization: `Bearer ${server.key}`, ...init.headers },
  });
}

/** The credit of the account in millionths of a dollar. */
async function credit(): Promise<number> {
  const body = (await (await call('/wallet/self/api-credit')).json()) as { credit: string };
  return Math.round(Number(body.credit) * 1e6);
}

/** Runs work and returns what it cost, in millionths of a dollar, when all holds have ended. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const beforeMicro = await credit();
  await work();
  await until('no hold is open', async () => {
    const report = (await (await call('/v1/admin/ledger')).json()) as { open_holds: number };
    return report.open_holds === 0;
  });
  return beforeMicro - (await credit());
}

async function speakAndLeave(text: string): Promise<void> {
  const leave = new AbortController();
  const body = { text, format: 'pcm', sample_rate: 16_000 };
  const response = await server.speak(body, { signal: leave.signal });
  assert.equal(response.status, 200);
  await response.body!.getReader().read();
  leave.abort();
}

test('a client that leaves after the first bytes pays the piece that it has heard the start of', async () => {
  assert.equal(await costOf(() => speakAndLeave('Hello there.')), 'Hello there.'.length * MICRO_PER_BYTE);
});

test('a client that leaves a long text early pays complete pieces, and not all of it', async () => {
  const sentence = 'This sentence is one piece of a long text. ';
  const cost = await costOf(() => speakAndLeave(sentence.repeat(200)));
  assert.ok(cost > 0);
  assert.ok(cost < 200 * sentence.length * MICRO_PER_BYTE);
});

test('a dictionary entry that is longer than its text is charged by its phonemes', async () => {
  const phonemes = 100;
  const items = [{ key: 'q', value: 'B AA1 '.repeat(phonemes / 2).trim() }];
  const text = 'Say q, and then q again.';
  const cost = await costOf(async () => {
    const body = { text, format: 'pcm', sample_rate: 16_000, pronunciation_dictionary: [{ items }] };
    const response = await server.speak(body);
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  });
  assert.equal(cost, (text.length + 2 * (phonemes - 1)) * MICRO_PER_BYTE);
});

/** Quiet noise of three seconds. */
function stereoWav(): Blob {
  const samples = Int16Array.from({ length: 2 * 3 * 16_000 }, (_, index) => ((index * 7919) % 61) - 30);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(64_000, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.byteLength, 40);
  return new Blob([header, samples]);
}

for (const { channels, units } of [
  { channels: 'mix', units: 3 },
  { channels: 'split', units: 6 },
]) {
  test(`a stereo recording with channels=${channels} costs ${units} seconds`, async () => {
    const cost = await costOf(async () => {
      const body = new FormData();
      body.set('audio', stereoWav());
      body.set('channels', channels);
      const response = await call('/v1/asr', { method: 'POST', body });
      assert.equal(response.status, 200, await response.text());
    });
    assert.equal(cost, units * MICRO_PER_SECOND);
  });
}
