import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pack } from 'msgpackr';
import type { Config } from '../../../src/config/config.ts';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import type { SpeechService } from '../../../src/domain/speech/speech-service.ts';
import { ApiError } from '../../../src/errors.ts';
import { audioOf, openLiveSpeech, type SpeechFrame } from '../../support/calls/live-speech-client.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

const SECONDS_PER_LETTER = 0.05;
const BYTES_PER_LETTER = SECONDS_PER_LETTER * 44_100 * 2;
const START = { event: 'start', request: { text: '', format: 'pcm' } };

async function withServer(
  work: (server: TestServer) => Promise<void>,
  options: { readonly config?: Partial<Config>; readonly speech?: Partial<SpeechService> } = {},
): Promise<void> {
  const server = await startTestServer(options);
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

function finishOf(frames: readonly SpeechFrame[]): Pick<SpeechFrame, 'reason' | 'message'> | undefined {
  const { reason, message } = frames.find(({ event }) => event === 'finish') ?? {};
  return reason === undefined ? undefined : { reason, ...(message !== undefined && { message }) };
}

test('a session returns the audio of its text and a finish frame', () =>
  withServer(async (server) => {
    for (const path of ['/v1/tts/live', '//v1/tts/live', '/v1/tts/live/with-timestamp']) {
      const client = await openLiveSpeech(server, { path });
      const frames = await client.speak(['Hello ', 'there, ', 'everybody.']);
      assert.deepEqual(finishOf(frames), { reason: 'stop' });
      assert.equal(frames.at(-1)?.event, 'finish');
      assert.equal(audioOf(frames).length, 23 * BYTES_PER_LETTER);
      assert.equal(client.textFrames, 0);
      client.socket.close();
    }
  }));

test('the text of the start frame comes first, and null fields are ignored', () =>
  withServer(async (server) => {
    const client = await openLiveSpeech(server, { headers: { model: 's2-pro' } });
    await client.speak(['there.'], { text: 'Hello ', reference_id: null, prosody: null, sample_rate: null });
    const [request] = server.speech.requests;
    assert.equal(request?.text, 'Hello ');
    assert.equal(request?.model, 's2-pro');
    client.socket.close();
  }));

test('one socket serves three consecutive sessions, one of them without text', () =>
  withServer(async (server) => {
    const client = await openLiveSpeech(server);
    assert.equal(audioOf(await client.speak(['One.'])).length, 4 * BYTES_PER_LETTER);
    const empty = await client.speak([]);
    assert.deepEqual(
      empty.map(({ event }) => event),
      ['finish'],
    );
    assert.deepEqual(finishOf(empty), { reason: 'stop' });
    assert.equal(audioOf(await client.speak(['Three.'])).length, 6 * BYTES_PER_LETTER);
    client.socket.close();
    assert.equal(await client.closed, 1005);
  }));

test('a flush is synthesized immediately, and the session stays open', () =>
  withServer(async (server) => {
    const client = await openLiveSpeech(server);
    client.send(START, { event: 'text', text: 'Hello' }, { event: 'flush' });
    await client.until(() => audioOf(client.frames).length >= 4 * BYTES_PER_LETTER);
    assert.equal(finishOf(client.frames), undefined);
    client.send({ event: 'text', text: 'again' }, { event: 'stop' });
    await client.until(() => finishOf(client.frames) !== undefined);
    assert.equal(audioOf(client.frames).length, 10 * BYTES_PER_LETTER);
    client.socket.close();
  }));

test('every audio frame but the last is larger than 1 KiB and none is larger than 64', () =>
  withServer(
    async (server) => {
      const client = await openLiveSpeech(server);
      const sizes = (await client.speak(['x'])).flatMap(({ audio }) => (audio ? [audio.length] : []));
      assert.equal(
        sizes.reduce((sum, size) => sum + size, 0),
        40 * 100 + 200_000,
      );
      assert.ok(
        sizes.slice(0, -1).every((size) => size > 1024),
        String(sizes),
      );
      assert.ok(
        sizes.every((size) => size <= 65_536),
        String(sizes),
      );
      client.socket.close();
    },
    {
      speech: {
        speakLive: () => ({
          write() {},
          flush() {},
          end() {},
          deliveredBytes: () => 0,
          dictionaryBytes: () => 0,
          body: (async function* () {
            for (let part = 0; part < 40; part++) yield { audio: new Uint8Array(100), timing: undefined };
            yield { audio: new Uint8Array(200_000), timing: undefined };
          })(),
        }),
      },
    },
  ));

test('rejected handshakes have the HTTP status of the error', () =>
  withServer(
    async (server) => {
      await assert.rejects(openLiveSpeech({ ...server, key: 'wrong' }), /401/);
      await assert.rejects(openLiveSpeech(server, { headers: { authorization: '' } }), /401/);
      await assert.rejects(openLiveSpeech(server, { path: '/v1/tts/nowhere' }), /404/);
      await assert.rejects(openLiveSpeech(server, { path: '/v1/health' }), /404/);
      assert.equal((await server.call('/v1/tts/live')).status, 426);
      const client = await openLiveSpeech(server);
      await assert.rejects(openLiveSpeech(server), /429/);
      client.socket.close();
      await client.closed;
      await untilTrue(() => server.accounts.connections.countOf(FIRST_ACCOUNT_ID) === 0);
      (await openLiveSpeech(server)).socket.close();
    },
    { config: { liveSocketsMax: 1 } },
  ));

const start = (request: object) => [{ event: 'start', request: { text: '', ...request } }];
const MALFORMED: readonly {
  readonly what: string;
  readonly frames: readonly (object | Buffer)[];
  readonly code: string;
  readonly closes: number;
}[] = [
  {
    what: 'invalid MessagePack',
    frames: [Buffer.from('{"event":"start"}')],
    code: 'invalid_body',
    closes: 1003,
  },
  {
    what: 'truncated MessagePack',
    frames: [pack(START).subarray(0, 20)],
    code: 'invalid_body',
    closes: 1003,
  },
  { what: 'an empty frame', frames: [Buffer.alloc(0)], code: 'invalid_body', closes: 1003 },
  { what: 'a list', frames: [[1, 2]], code: 'live_protocol', closes: 1008 },
  { what: 'an unknown event', frames: [{ event: 'sing' }], code: 'live_protocol', closes: 1008 },
  {
    what: 'a text that is a number',
    frames: [START, { event: 'text', text: 7 }],
    code: 'live_protocol',
    closes: 1008,
  },
  {
    what: 'text before the start',
    frames: [{ event: 'text', text: 'Hi' }],
    code: 'live_protocol',
    closes: 1008,
  },
  { what: 'a flush before the start', frames: [{ event: 'flush' }], code: 'live_protocol', closes: 1008 },
  { what: 'two starts', frames: [START, START], code: 'live_protocol', closes: 1008 },
  {
    what: 'a frame that is too large',
    frames: [START, { event: 'text', text: 'x'.repeat(70_000) }],
    code: 'body_too_large',
    closes: 1009,
  },
  {
    what: 'an unknown voice',
    frames: start({ reference_id: 'nobody' }),
    code: 'voice_not_found',
    closes: 1000,
  },
  {
    what: 'a field out of range',
    frames: start({ prosody: { speed: 9 } }),
    code: 'invalid_request',
    closes: 1000,
  },
  {
    what: 'an unsupported sample rate',
    frames: start({ sample_rate: 22050 }),
    code: 'sample_rate_not_supported',
    closes: 1000,
  },
];

for (const { what, frames, code, closes } of MALFORMED) {
  test(`${what} ends the session with ${code} and the socket with ${closes}`, () =>
    withServer(
      async (server) => {
        const other = await openLiveSpeech(server);
        other.send(START, { event: 'text', text: 'Hello' });
        const client = await openLiveSpeech(server);
        for (const frame of frames) client.socket.send(Buffer.isBuffer(frame) ? frame : pack(frame));
        assert.equal(await client.closed, closes);
        assert.equal(client.frames.find(({ event }) => event === 'error')?.code, code);
        assert.equal(finishOf(client.frames)?.reason, 'error');
        assert.notEqual(finishOf(client.frames)?.message ?? '', '');
        assert.equal(client.frames.at(-1)?.event, 'finish');
        other.send({ event: 'stop' });
        await other.until(() => finishOf(other.frames) !== undefined);
        assert.deepEqual(finishOf(other.frames), { reason: 'stop' });
        assert.equal(audioOf(other.frames).length, 5 * BYTES_PER_LETTER);
        other.socket.close();
      },
      { config: { bodyMaxBytes: 65_536 } },
    ));
}

test('text frames are ignored', () =>
  withServer(async (server) => {
    const client = await openLiveSpeech(server);
    client.socket.send('{"event":"start"}');
    client.send(START);
    client.socket.send('hello');
    client.send({ event: 'text', text: 'Hi' }, { event: 'stop' });
    await client.until(() => finishOf(client.frames) !== undefined);
    assert.deepEqual(finishOf(client.frames), { reason: 'stop' });
    client.socket.close();
  }));

test('an engine failure sends a finish frame and closes with 1011', () =>
  withServer(
    async (server) => {
      const client = await openLiveSpeech(server);
      client.send(START, { event: 'text', text: 'Hi.' });
      assert.equal(await client.closed, 1011);
      assert.deepEqual(finishOf(client.frames), { reason: 'error', message: 'The engine failed.' });
    },
    {
      speech: {
        speakLive: () => ({
          write() {},
          flush() {},
          end() {},
          deliveredBytes: () => 0,
          dictionaryBytes: () => 0,
          body: (async function* () {
            yield { audio: new Uint8Array(2000), timing: undefined };
            throw new ApiError('engine_failed', 'The engine failed.');
          })(),
        }),
      },
    },
  ));

test('pings are answered during synthesis', () =>
  withServer(async (server) => {
    const client = await openLiveSpeech(server);
    client.send(START, { event: 'text', text: 'x'.repeat(2000) }, { event: 'flush' });
    client.socket.ping('are you there?');
    await once(client.socket, 'pong');
    client.socket.terminate();
  }));

test('a revoked key cannot start another session', () =>
  withServer(async (server) => {
    const client = await openLiveSpeech(server);
    assert.deepEqual(finishOf(await client.speak(['Hi.'])), { reason: 'stop' });
    server.keys.identify = async () => 'revoked';
    client.send(START);
    assert.equal(await client.closed, 1008);
    const { reason, message } = finishOf(client.frames.slice(-1)) ?? {};
    assert.equal(reason, 'error');
    assert.match(String(message), /^Invalid Token/);
  }));

test('disconnecting stops synthesis immediately', () =>
  withServer(async (server) => {
    const client = await openLiveSpeech(server);
    client.send(START, { event: 'text', text: 'x'.repeat(20_000) }, { event: 'flush' });
    await client.until(() => client.frames.length > 0);
    client.socket.terminate();
    await untilTrue(() => server.speech.active === 0);
    const { chunks } = server.speech;
    await sleep(50);
    assert.equal(server.speech.chunks, chunks);
  }));

test('an idle socket is closed with 1000, and an idle session ends with live_silence', () =>
  withServer(
    async (server) => {
      const idle = await openLiveSpeech(server);
      assert.equal(await idle.closed, 1000);
      const silent = await openLiveSpeech(server);
      silent.send(START);
      assert.equal(await silent.closed, 1008);
      assert.equal(silent.frames.find(({ event }) => event === 'error')?.code, 'live_silence');
    },
    { config: { liveIdleSeconds: 1, liveSilenceSeconds: 1 } },
  ));

test('a client that stops reading pauses synthesis, resumes it by reading, and is disconnected after the stall timeout', () =>
  withServer(
    async (server) => {
      const client = await openLiveSpeech(server);
      client.send(START, { event: 'text', text: 'x'.repeat(50_000) }, { event: 'stop' });
      await client.until(() => client.frames.length > 0);
      client.socket.pause();
      await untilStable(server);
      const held = server.speech.chunks;
      assert.ok(held * 4096 < 16_000_000, `${held} chunks without a reader`);
      client.socket.resume();
      await untilTrue(() => server.speech.chunks > held + 100);
      client.socket.pause();
      await untilTrue(() => server.speech.active === 0);
      client.socket.terminate();
    },
    { config: { streamStallSeconds: 2 } },
  ));

test('a draining server lets a session finish and accepts no new one', async () => {
  const server = await startTestServer();
  const idle = await openLiveSpeech(server);
  const busy = await openLiveSpeech(server);
  busy.send(START, { event: 'text', text: 'Hello' });
  await untilTrue(() => server.speech.requests.length === 1);
  const closed = server.close(10);
  assert.equal(await idle.closed, 1001);
  await assert.rejects(openLiveSpeech(server));
  busy.send({ event: 'stop' });
  assert.equal(await busy.closed, 1001);
  assert.deepEqual(finishOf(busy.frames), { reason: 'stop' });
  await closed;
});

test('a session that does not finish within the drain time ends with an error', async () => {
  const server = await startTestServer();
  const busy = await openLiveSpeech(server);
  busy.send(START, { event: 'text', text: 'Hello' });
  await untilTrue(() => server.speech.requests.length === 1);
  const closed = server.close(0.1);
  assert.equal(await busy.closed, 1001);
  assert.equal(finishOf(busy.frames)?.reason, 'error');
  await closed;
});

/** Resolves when no further chunk is produced for 300 ms. */
async function untilStable(server: TestServer): Promise<void> {
  for (let before = -1; before !== server.speech.chunks; ) {
    before = server.speech.chunks;
    await sleep(300);
  }
}

async function untilTrue(isTrue: () => boolean, withinMs = 60_000): Promise<void> {
  for (const endMs = Date.now() + withinMs; !isTrue(); await sleep(5)) {
    assert.ok(Date.now() < endMs, 'timeout');
  }
}
