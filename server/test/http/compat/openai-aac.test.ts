import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { AdtsFrameCounter } from '../../../src/audio/encode/adts-frame-counter.ts';
import type { Config } from '../../../src/config/config.ts';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { decodeFileWithFfmpeg, hasFfmpeg } from '../../support/audio/ffmpeg.ts';
import { amplitudeAt } from '../../support/audio/signals.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { isAlive, until } from '../../support/servers/real-server.ts';
import { TONE_PIECE_CHARS } from '../../support/workers/tone-speech.ts';

/** Price of one byte of text. */
const BYTE_NANO = 15_000;
const AAC = { model: 'tts-1', voice: 'alloy', response_format: 'aac' } as const;
/** A tone of 50 ms per character. */
const TEXT = 'x'.repeat(60);
const TONE_SECONDS = 3;

let folder: string;
/** Starts FFmpeg, and appends the id of its process to the file `processes`. */
let recordedFfmpeg: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-aac-'));
  recordedFfmpeg = await writeProgram('recorded', `echo $$ >> '${folder}/processes'\nexec ffmpeg "$@"`);
});
after(() => rm(folder, { recursive: true }));

async function writeProgram(name: string, commands: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${commands}\n`);
  await chmod(path, 0o700);
  return path;
}

/** Ids of the processes that were started by `recordedFfmpeg`. */
async function processes(): Promise<number[]> {
  const lines = await readFile(join(folder, 'processes'), 'utf8').catch(() => '');
  return lines.trim().split('\n').filter(Boolean).map(Number);
}

async function withServer(
  config: Partial<Config>,
  work: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await startTestServer({ config: { billing: 'prepaid', ...config } });
  const { ledger } = server.accounts.accounting;
  try {
    await ledger.topUp({ id: 'top', accountId: FIRST_ACCOUNT_ID, amountNano: NANO_PER_USD, memo: '' });
    await work(server);
    await until('all holds have ended', async () => (await ledger.verify()).openHolds === 0);
    assert.deepEqual((await ledger.verify()).problems, []);
  } finally {
    await server.close();
  }
}

function speak(server: TestServer, fields: object = {}, init: RequestInit = {}): Promise<Response> {
  return server.call('/v1/audio/speech', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...AAC, input: TEXT, ...fields }),
    ...init,
  });
}

async function spentNano(server: TestServer): Promise<number> {
  return (await server.accounts.accounting.ledger.wallet(FIRST_ACCOUNT_ID)).spentNano;
}

function assertTone(file: Uint8Array, sampleRateHz = 44_100): void {
  const samples = decodeFileWithFfmpeg(file, ['-f', 'aac']);
  const seconds = samples.length / sampleRateHz;
  assert.ok(Math.abs(seconds - TONE_SECONDS) < 0.15, `${seconds} s`);
  const middle = samples.subarray(sampleRateHz, 2 * sampleRateHz);
  assert.ok(Math.abs(amplitudeAt(middle, 440, sampleRateHz) - 8000 / 32_768) < 0.02);
}

test('without FFmpeg, AAC is refused with not_supported, and nothing is charged', () =>
  withServer({ ffmpegPath: join(folder, 'missing') }, async (server) => {
    const response = await speak(server);
    assert.equal(response.status, 400);
    assert.equal(response.headers.get('x-fish-error-code'), 'not_supported');
    assert.equal(((await response.json()) as { error: { code: string } }).error.code, 'not_supported');
    assert.deepEqual([server.speech.requests.length, await spentNano(server)], [0, 0]);
  }));

test('FFmpeg that fails gives engine_failed, and nothing is charged', async () => {
  const ffmpegPath = await writeProgram('broken', 'exit 1');
  await withServer({ ffmpegPath }, async (server) => {
    const response = await speak(server);
    assert.equal(response.status, 503);
    assert.equal(response.headers.get('x-fish-error-code'), 'engine_failed');
    assert.equal(await spentNano(server), 0);
  });
});

test('a request that gets no FFmpeg process in time is refused with queue_full', async () => {
  const ffmpegPath = await writeProgram('silent', 'exec cat > /dev/null');
  await withServer({ ffmpegPath, ffmpegMax: 1, queueSeconds: 1 }, async (server) => {
    const client = new AbortController();
    const first = speak(server, {}, { signal: client.signal });
    await until('the first request has the process', () => server.speech.requests.length === 1);
    const second = await speak(server);
    assert.equal(second.status, 429);
    assert.equal(second.headers.get('x-fish-error-code'), 'queue_full');
    assert.ok(second.headers.get('retry-after'));
    client.abort();
    await assert.rejects(first, { name: 'AbortError' });
  });
});

test('a sample rate that AAC does not have is refused', () =>
  withServer({}, async (server) => {
    for (const init of [
      {},
      { headers: { 'content-type': 'application/json', 'x-fish-sample-rate': '11025' } },
    ]) {
      const response = await speak(server, { sample_rate: 12_345 }, init);
      assert.equal(response.headers.get('x-fish-error-code'), 'sample_rate_not_supported');
    }
  }));

test('native speech has no AAC', () =>
  withServer({}, async (server) => {
    const response = await server.speak({ text: 'hello', format: 'aac' });
    assert.equal(response.headers.get('x-fish-error-code'), 'invalid_request');
  }));

// CI has FFmpeg.
const withFfmpeg = { skip: !hasFfmpeg && 'FFmpeg is not installed' };

test('the official client receives AAC of the whole text, at the price of every format', withFfmpeg, () =>
  withServer({}, async (server) => {
    const client = new OpenAI({ apiKey: server.key, baseURL: `${server.url}/v1`, maxRetries: 0 });
    const response = await client.audio.speech.create({ ...AAC, input: TEXT });
    assert.equal(response.headers.get('content-type'), 'audio/aac');
    assert.equal(response.headers.get('x-mynah-cost'), '0.0009');
    assertTone(new Uint8Array(await response.arrayBuffer()));
    await until('it is charged', async () => (await spentNano(server)) === TEXT.length * BYTE_NANO);
  }),
);

test('AAC in events, in a chat completion and at another rate is the same audio', withFfmpeg, () =>
  withServer({}, async (server) => {
    const lower = await speak(
      server,
      {},
      {
        headers: { 'content-type': 'application/json', 'x-fish-sample-rate': '24000' },
      },
    );
    assertTone(new Uint8Array(await lower.arrayBuffer()), 24_000);
    const events = await (await speak(server, { stream_format: 'sse' })).text();
    const deltas = [...events.matchAll(/"speech\.audio\.delta","audio":"([^"]*)"/g)];
    assertTone(Buffer.concat(deltas.map(([, base64]) => Buffer.from(base64!, 'base64'))));
    const chat = await server.call('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'gpt-audio',
        modalities: ['text', 'audio'],
        audio: { voice: 'alloy', format: 'aac' },
        messages: [{ role: 'user', content: TEXT }],
      }),
    });
    const { choices } = (await chat.json()) as { choices: [{ message: { audio: { data: string } } }] };
    assertTone(Buffer.from(choices[0].message.audio.data, 'base64'));
  }),
);

test('an empty text is an empty file', withFfmpeg, () =>
  withServer({}, async (server) => {
    const response = await speak(server, { input: '' });
    assert.deepEqual([response.status, (await response.arrayBuffer()).byteLength], [200, 0]);
  }),
);

test('a client that leaves ends FFmpeg, and pays for the pieces that it received', withFfmpeg, () =>
  withServer({ ffmpegPath: recordedFfmpeg, ffmpegMax: 1 }, async (server) => {
    // In the second piece, at 2048 samples per chunk.
    server.speech.pauseAfterChunks = Math.floor((2 * TONE_PIECE_CHARS * 0.05 * 44_100) / 2048);
    const client = new AbortController();
    const response = await speak(server, {}, { signal: client.signal });
    const reader = response.body!.getReader();
    const frames = new AdtsFrameCounter();
    // The first piece takes half a second.
    while (frames.count * 1024 < 0.58 * 44_100) frames.read((await reader.read()).value!);
    const [pid] = (await processes()).slice(-1);
    assert.ok(isAlive(pid!));
    client.abort();
    await until('the process has ended', () => !isAlive(pid!));
    await until('it is charged', async () => (await spentNano(server)) > 0);
    assert.equal(await spentNano(server), 2 * TONE_PIECE_CHARS * BYTE_NANO);
    server.speech.pauseAfterChunks = Number.POSITIVE_INFINITY;
    assertTone(new Uint8Array(await (await speak(server)).arrayBuffer()));
  }),
);
