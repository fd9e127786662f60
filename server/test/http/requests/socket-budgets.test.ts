import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { LiveInput } from '../../../src/domain/transcription/transcription-service.ts';
import { openLiveSpeech } from '../../support/calls/live-speech-client.ts';
import { openLiveTranscription } from '../../support/calls/live-transcription-client.ts';
import { countEventLoopTurns } from '../../support/servers/event-loop-turns.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { ScriptedTranscription } from '../../support/workers/scripted-transcription.ts';

const MIB = 1024 * 1024;

/** An engine that reads its input and makes no progress. */
class StuckTranscription extends ScriptedTranscription {
  inputCount = 0;
  flushCount = 0;
  /** Of the last session. */
  signal: AbortSignal | undefined;
  readonly #released = new AbortController();

  /** Ends sessions whose input is not read. */
  release(): void {
    this.#released.abort();
  }

  override async *transcribeLive(_options: unknown, input: AsyncIterable<LiveInput>, signal: AbortSignal) {
    this.signal = signal;
    for await (const chunk of input) {
      this.inputCount += 1;
      if (chunk === 'flush') this.flushCount += 1;
      signal.throwIfAborted();
      if (this.#released.signal.aborted) continue;
      if (this.inputCount > 10) await once(this.#released.signal, 'abort');
      if (this.#released.signal.aborted) return;
    }
    yield* [];
  }
}

const transcription = new StuckTranscription();
let server: TestServer;
before(async () => {
  const config = { liveSocketMaxBytes: MIB, liveAccountMaxBytes: 4 * MIB };
  server = await startTestServer({ config, transcription });
});
after(() => server.close());

async function openRealtime() {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/compat/v1/realtime`, {
    headers: { authorization: `Bearer ${server.key}` },
  });
  const events: { type: string; error?: { code: string } }[] = [];
  socket.on('message', (data) => events.push(JSON.parse(String(data))));
  await once(socket, 'open');
  const of = (type: string) => events.filter((event) => event.type === type);
  return { socket, of, send: (message: object) => socket.send(JSON.stringify(message)) };
}

/** Waits until the bytes in the socket have not changed for half a second, and returns them. */
async function settledBytes(socket: WebSocket): Promise<number> {
  for (let last = -1; ; await delay(500)) {
    if (socket.bufferedAmount === last) return last;
    last = socket.bufferedAmount;
  }
}

test('the server stops reading live audio that is far ahead of the engine', async () => {
  const client = await openLiveTranscription(server);
  client.send({ event: 'start' });
  for (let index = 0; index < 12; index += 1) client.send({ event: 'audio', audio: Buffer.alloc(6 * MIB) });
  assert.ok((await settledBytes(client.socket)) > 30 * MIB);
  const { signal } = transcription;
  client.socket.terminate();
  await until(
    'the disconnection is noticed although nothing is read',
    () => signal?.aborted === true,
    20_000,
  );
  transcription.release();
});

test('single samples and repeated flushes do not queue without limit', async () => {
  transcription.inputCount = 0;
  transcription.flushCount = 0;
  const client = await openLiveTranscription(server);
  client.send({ event: 'start' });
  for (let index = 0; index < 3200; index += 1) {
    client.send({ event: 'audio', audio: Buffer.alloc(2) }, { event: 'flush' });
  }
  client.send({ event: 'stop' });
  await until('a finish frame', () => client.framesOf('finish').length === 1);
  assert.ok(transcription.flushCount <= 2);
  assert.ok(transcription.inputCount <= 20);
  client.socket.close();
});

test('a realtime socket refuses audio above its limit and continues after a clear', async () => {
  const { socket, of, send } = await openRealtime();
  const append = { type: 'input_audio_buffer.append', audio: Buffer.alloc(MIB / 2).toString('base64') };
  for (let index = 0; index < 3; index += 1) send(append);
  await until('an error', () => of('error').length === 1);
  assert.equal(of('error')[0]?.error?.code, 'conversation_too_large');
  send({ type: 'input_audio_buffer.clear' });
  send(append);
  send(append);
  send({ type: 'input_audio_buffer.clear' });
  await until('both clears', () => of('input_audio_buffer.cleared').length === 2);
  assert.equal(of('error').length, 1);
  socket.close();
});

test('a realtime socket limits the sum of its texts and the length of ids', async () => {
  const { socket, of, send } = await openRealtime();
  const create = (text: string, id: string) => ({
    type: 'conversation.item.create',
    item: { id, content: [{ type: 'input_text', text }] },
  });
  send(create('x'.repeat(150_000), 'first'));
  send(create('x'.repeat(150_000), 'second'));
  send(create('short', 'i'.repeat(1000)));
  await until('two errors', () => of('error').length === 2);
  assert.deepEqual(
    of('error').map(({ error }) => error?.code),
    ['conversation_too_large', 'invalid_request'],
  );
  socket.close();
});

test('the server stops reading from a client that does not read, and continues when it reads', async () => {
  const { socket, of, send } = await openRealtime();
  socket.pause();
  const text = 'x'.repeat(100_000);
  const message = {
    type: 'conversation.item.create',
    item: { id: 'same', content: [{ type: 'input_text', text }] },
  };
  for (let index = 0; index < 600; index += 1) send(message);
  assert.ok((await settledBytes(socket)) > 10 * MIB);
  socket.resume();
  await until('all items', () => of('conversation.item.done').length === 600);
  socket.close();
});

/** Opens a socket and starts a session whose text is not flushed, so that it is not spoken. */
async function openIdleSession(key: string) {
  const client = await openLiveSpeech({ url: server.url, key });
  client.send({ event: 'start', request: { text: '', format: 'pcm' } });
  return client;
}

test('the text of live speech counts towards the memory of the account until it is spoken', async () => {
  const key = await server.createKeyFor('acc_live_text');
  const text = 'word '.repeat(30_000);
  const sessions = await Promise.all(Array.from({ length: 30 }, () => openIdleSession(key)));
  for (const session of sessions) session.send({ event: 'text', text });
  const errors = () => sessions.flatMap(({ frames }) => frames.filter(({ event }) => event === 'error'));
  await until('the account is over its limit', () => errors().length > 0);
  assert.ok(errors().every(({ code }) => code === 'text_too_long'));
  for (const { socket } of sessions) socket.terminate();
  await until('the memory is free again', async () => {
    const session = await openIdleSession(key);
    session.send({ event: 'text', text: 'Hello. ' }, { event: 'stop' });
    await session.until(() => session.frames.some(({ event }) => event === 'finish'));
    session.socket.close();
    return session.frames.at(-1)?.reason === 'stop';
  });
});

test('a realtime socket limits names and the text of a response', async () => {
  const { socket, of, send } = await openRealtime();
  send({ type: 'session.update', session: { voice: 'v'.repeat(1000) } });
  const content = [{ type: 'input_text', text: 'x'.repeat(250_000) }];
  send({ type: 'response.create', response: { input: [{ content }] } });
  await until('two errors', () => of('error').length === 2);
  assert.deepEqual(
    of('error').map(({ error }) => error?.code),
    ['invalid_request', 'conversation_too_large'],
  );
  assert.equal(of('response.created').length, 0);
  socket.close();
});

test('incomplete messages count: a socket whose account exceeds its limit is closed', async () => {
  const sockets = await Promise.all(Array.from({ length: 6 }, () => openLiveTranscription(server)));
  const closeCodes: number[] = [];
  for (const { socket } of sockets) {
    socket.on('close', (code) => closeCodes.push(code));
    // The first fragment of a message that never ends.
    socket.send(Buffer.alloc(MIB), { fin: false });
  }
  await until('two sockets are closed', () => closeCodes.length >= 2);
  // Four messages of a mebibyte are within the limit of the account. All that grow beyond it are closed, as they arrive.
  assert.deepEqual([...new Set(closeCodes)], [1013]);
  for (const { socket } of sockets) socket.terminate();
  const other = await openLiveTranscription(server);
  other.send({ event: 'stop' });
  await until('an answer after the bytes are released', () => other.framesOf('finish').length === 1);
  other.socket.close();
});

test('many short messages leave turns of the event loop to other requests', async () => {
  const { socket, of, send } = await openRealtime();
  const turns = await countEventLoopTurns(async () => {
    for (let message = 0; message < 1000; message++) send({ type: 'input_audio_buffer.commit' });
    await until('all are answered', () => of('error').length === 1000);
  });
  socket.terminate();
  assert.ok(turns >= 900, `${turns} turns for 1000 messages`);
});
