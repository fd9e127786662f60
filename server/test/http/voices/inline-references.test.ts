import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pack } from 'msgpackr';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { openLiveSpeech } from '../../support/calls/live-speech-client.ts';
import { OTHER_RECORDING, RECORDING } from '../../support/calls/voice-forms.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { BYTE_NANO, withPrepaidServer } from '../../support/servers/prepaid-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { LocalClipReader } from '../../support/voices/local-clip-reader.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

const BASE64 = RECORDING.toString('base64');
const TEXT = 'Ten bytes.';

/** Every route and encoding that accepts `references`. */
const ROUTES: Readonly<
  Record<string, (server: TestServer, audio: Buffer, text: string) => Promise<Response>>
> = {
  'POST /v1/tts, JSON': (server, audio, text) =>
    server.speak({ text, references: [{ audio: audio.toString('base64') }] }),
  'POST /v1/tts, JSON, a list per speaker': (server, audio, text) =>
    server.speak(
      { text, references: [[{ audio: audio.toString('base64') }]], reference_id: ['any'] },
      { model: 's2-pro' },
    ),
  'POST /v1/tts, MessagePack': (server, audio, text) =>
    server.call('/v1/tts', {
      method: 'POST',
      headers: { 'content-type': 'application/msgpack' },
      body: new Uint8Array(pack({ text, references: [{ audio }] })),
    }),
  'POST /v1/tts/stream/with-timestamp': (server, audio, text) =>
    postJson(server, '/v1/tts/stream/with-timestamp', {
      text,
      references: [{ audio: audio.toString('base64') }],
    }),
  'POST /v1/audio/speech': (server, audio, text) =>
    postJson(server, '/v1/audio/speech', {
      model: 's1',
      input: text,
      provider: { options: { 'fish-audio': { references: [[{ audio: audio.toString('base64') }]] } } },
    }),
};

const postJson = (server: TestServer, path: string, body: object) =>
  server.call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

function cloningVoices() {
  return { cloner: new RecordingCloner(), reader: new LocalClipReader() };
}

for (const [route, send] of Object.entries(ROUTES)) {
  test(`${route}: recordings are decoded only with the price held, and speech costs its bytes`, async () => {
    const voices = cloningVoices();
    await withPrepaidServer(
      async (server) => {
        await server.topUp(9 * BYTE_NANO);
        const refused = await send(server, RECORDING, TEXT);
        assert.equal(refused.status, 402);
        assert.equal(voices.reader.calls.length, 0, 'nothing is decoded for a request that is refused');
        await server.topUp(BYTE_NANO);
        const heldNano: number[] = [];
        voices.reader.onRead = async () => {
          heldNano.push((await server.wallet()).heldNano);
        };
        const response = await send(server, RECORDING, TEXT);
        assert.equal(response.status, 200, await response.clone().text());
        await response.arrayBuffer();
        assert.deepEqual(heldNano, [10 * BYTE_NANO]);
        await server.assertSpent(10 * BYTE_NANO);
      },
      { voices },
    );
  });
}

test('a live session decodes its references with a price held, and costs its bytes', async () => {
  const voices = cloningVoices();
  await withPrepaidServer(
    async (server) => {
      await server.topUp(10 * BYTE_NANO);
      const heldNano: number[] = [];
      voices.reader.onRead = async () => {
        heldNano.push((await server.wallet()).heldNano);
      };
      const client = await openLiveSpeech(server);
      await client.speak([TEXT], { references: [{ audio: RECORDING }] });
      await server.assertSpent(10 * BYTE_NANO);
      assert.ok(heldNano.length === 1 && (heldNano[0] ?? 0) > 0);
      const frames = await client.speak(['x'], { references: [{ audio: OTHER_RECORDING }] });
      assert.equal(frames.find(({ event }) => event === 'error')?.code, 'insufficient_balance');
      assert.equal(heldNano.length, 1, 'nothing is decoded without credit');
      await client.closed;
    },
    { voices },
  );
});

test('references that are refused cost nothing', async () => {
  await withPrepaidServer(
    async (server) => {
      await server.topUp(NANO_PER_USD);
      const silent = Buffer.from(RECORDING).fill(0, 44);
      for (const send of Object.values(ROUTES)) assert.equal((await send(server, silent, TEXT)).status, 400);
      await server.assertSpent(0);
    },
    { voices: cloningVoices() },
  );
});

test('the recordings of a request are limited in their total duration', async () => {
  const server = await startTestServer({ config: { referencesMaxSeconds: 10 }, voices: cloningVoices() });
  try {
    const other = { audio: OTHER_RECORDING.toString('base64') };
    assert.equal((await server.speak({ text: 'hi', references: [{ audio: BASE64 }] })).status, 200);
    for (const references of [
      [{ audio: BASE64 }, other],
      [[{ audio: BASE64 }], [other]],
    ]) {
      const response = await server.speak({ text: 'hi', references }, { model: 's2-pro' });
      assert.equal(response.status, 400);
      assert.equal(response.headers.get('x-fish-error-code'), 'audio_too_long');
    }
  } finally {
    await server.close();
  }
});

test('a client that disconnects ends the decoding of its references', async () => {
  const voices = cloningVoices();
  const server = await startTestServer({ voices });
  try {
    voices.reader.onRead = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const client = new AbortController();
    const left = server.call('/v1/tts', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'hi', references: [{ audio: BASE64 }] }),
      signal: client.signal,
    });
    await until('it is decoded', () => voices.reader.calls.length === 1);
    client.abort();
    await assert.rejects(left);
    await until('the decoding ends', () => voices.reader.calls[0]?.signal.aborted === true);
  } finally {
    await server.close();
  }
});

test('requests whose references are decoded count for concurrency, and hold back no other speech', async () => {
  const voices = cloningVoices();
  const server = await startTestServer({
    config: { startingMax: 1, queueSeconds: 0, concurrencyMax: 1 },
    voices,
  });
  try {
    let finish = () => {};
    voices.reader.onRead = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const decoding = server.speak({ text: 'hi', references: [{ audio: BASE64 }] });
    await until('it is decoded', () => voices.reader.calls.length === 1);
    const second = await server.speak({
      text: 'hi',
      references: [{ audio: OTHER_RECORDING.toString('base64') }],
    });
    assert.equal(second.headers.get('x-fish-error-code'), 'concurrency_exceeded');
    assert.equal(voices.reader.calls.length, 1, 'nothing is decoded before admission');
    const authorization = `Bearer ${await server.createKeyFor('acc_other')}`;
    const other = await server.speak({ text: 'hi' }, { authorization });
    assert.equal(other.status, 200);
    await other.arrayBuffer();
    finish();
    assert.equal((await decoding).status, 200);
  } finally {
    await server.close();
  }
});

test('accounts share no voice of equal references', async () => {
  const voices = cloningVoices();
  const server = await startTestServer({ voices });
  try {
    const authorization = `Bearer ${await server.createKeyFor('acc_other')}`;
    for (const headers of [{}, { authorization }, {}, { authorization }]) {
      assert.equal(
        (await server.speak({ text: 'hi', references: [{ audio: BASE64 }] }, headers)).status,
        200,
      );
    }
    assert.equal(voices.cloner.clones, 2);
    assert.equal(new Set(voices.reader.calls.map(({ accountId }) => accountId)).size, 2);
  } finally {
    await server.close();
  }
});
