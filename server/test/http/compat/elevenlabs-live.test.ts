import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { voicesOf } from '../../support/workers/tone-speech.ts';

/** Pino's level `error`. */
const ERROR_LEVEL = 50;
const logLines: string[] = [];
let server: TestServer;
before(async () => {
  server = await startTestServer({ log: { write: (line) => void logLines.push(line) } });
});
after(() => server.close());

type Message = Record<string, unknown>;

/** Opens a socket that records all messages. */
function connect(path: string, headers: Record<string, string> = { 'xi-api-key': server.key }) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/compat/elevenlabs/v1${path}`, {
    headers,
  });
  const received: Message[] = [];
  socket.on('message', (data, isBinary) => {
    assert.equal(isBinary, false);
    received.push(JSON.parse(String(data)) as Message);
  });
  const closed = once(socket, 'close') as Promise<[number, Buffer]>;
  // Reported by the test that waits for `opened`.
  closed.catch(() => {});
  const send = (...messages: object[]) => {
    for (const message of messages) socket.send(JSON.stringify(message));
  };
  return { socket, received, closed, send, opened: once(socket, 'open') };
}

const STREAM = '/text-to-speech/bf_emma/stream-input';
const MULTI_PATH = '/text-to-speech/bf_emma/multi-stream-input';
const TRANSCRIBE = '/speech-to-text/realtime';

test('text is synthesized while it arrives, and the socket closes at the end', async () => {
  const { opened, received, closed, send } = connect(`${STREAM}?output_format=pcm_16000&seed=4`);
  await opened;
  send(
    {
      text: ' ',
      voice_settings: { stability: 0.3, speed: 1.2 },
      generation_config: { chunk_length_schedule: [50] },
    },
    { text: 'Hello ' },
    { text: 'there. ', flush: true },
  );
  await until('audio of the flushed text', () => received.some(({ audio }) => typeof audio === 'string'));
  send({ text: 'Bye. ', try_trigger_generation: true }, { text: '' });
  assert.equal((await closed)[0], 1000);
  assert.deepEqual(received.at(-1), { isFinal: true });
  const bytes = received.reduce(
    (sum, { audio }) => sum + Buffer.from(String(audio ?? ''), 'base64').length,
    0,
  );
  assert.equal(bytes, 2 * 16_000 * 0.05 * 'Hello there. Bye. '.length);
  const { model, voice, format, sampleRateHz, speed, temperature, seed } = server.speech.requests.at(-1)!;
  assert.deepEqual(
    [model, voicesOf({ voice })[0]?.name, format, sampleRateHz, speed, temperature, seed],
    ['s2.1-pro', 'bf_emma', 'pcm', 16_000, 1.2, 0.7, 4],
  );
});

test('a session whose key is in the address is spoken', async () => {
  for (const [path, context] of [
    [STREAM, {}],
    [MULTI_PATH, { context_id: 'a' }],
  ] as const) {
    const { opened, received, closed, send, socket } = connect(`${path}?api_key=${server.key}`, {});
    await opened;
    send({ text: ' ', ...context }, { text: 'Hello. ', flush: true, ...context });
    await until('audio or an error', () =>
      received.some((message) => 'audio' in message || 'error' in message),
    );
    assert.equal(
      received.find((message) => 'error' in message),
      undefined,
    );
    socket.close();
    await closed;
  }
});

test('a rejected session gets an error message and is closed', async () => {
  for (const [path, code, message] of [
    ['/text-to-speech/nobody/stream-input', 400, /Reference not found/],
  ] as const) {
    const { opened, received, closed, send } = connect(path);
    await opened;
    send({ text: ' ' }, { text: 'Hello. ' });
    await closed;
    assert.equal(received.at(-1)?.code, code);
    assert.match(String(received.at(-1)?.error), message);
  }
  const { opened, received, closed, socket } = connect(STREAM);
  await opened;
  socket.send('no JSON');
  assert.equal((await closed)[0], 1003);
  assert.match(String(received.at(-1)?.error), /JSON/);
});

const MULTI = `${MULTI_PATH}?output_format=pcm_16000`;

interface Alignment {
  readonly chars: readonly string[];
  readonly charStartTimesMs: readonly number[];
  readonly charDurationsMs: readonly number[];
}

test('contexts on one socket have their own audio, times and end', async () => {
  const { opened, received, send, socket, closed } = connect(`${MULTI}&sync_alignment=true`);
  await opened;
  send(
    { text: '' },
    { text: ' ', context_id: 'a', voice_settings: { speed: 1.2 } },
    { text: 'Hello there. ', context_id: 'a', flush: true },
    { text: ' ', context_id: 'b' },
    { text: 'Bye. ', context_id: 'b' },
    { text: '', context_id: 'b' },
    { text: '', context_id: 'b', flush: true },
    { context_id: 'b', close_context: true },
  );
  const of = (id: string) => received.filter(({ contextId }) => contextId === id);
  const hasEnded = (id: string) => of(id).some(({ isFinal }) => isFinal === true);
  await until('the end of b', () => hasEnded('b'));
  await until('audio of a', () => of('a').some(({ audio }) => audio));
  assert.equal(hasEnded('a'), false);
  send(
    { text: 'More. ', context_id: 'a' },
    { context_id: 'a', close_context: true },
    { context_id: 'nobody', close_context: true },
  );
  await until('the end of a', () => hasEnded('a'));
  for (const [id, text] of [
    ['a', 'Hello there. More. '],
    ['b', 'Bye. '],
  ] as const) {
    const bytes = of(id).reduce(
      (sum, { audio }) => sum + Buffer.from(String(audio ?? ''), 'base64').length,
      0,
    );
    assert.equal(bytes, 2 * 16_000 * 0.05 * text.length);
    const alignments = of(id).flatMap(({ alignment }) => (alignment ? [alignment as Alignment] : []));
    assert.equal(alignments.flatMap(({ chars }) => chars).join(''), text);
    const starts = alignments.flatMap(({ charStartTimesMs }) => charStartTimesMs);
    assert.deepEqual(
      starts,
      starts.toSorted((x, y) => x - y),
    );
  }
  // Contexts are independent: either may be first.
  assert.deepEqual(
    server.speech.requests
      .slice(-2)
      .map(({ speed }) => speed)
      .toSorted(),
    [1, 1.2],
  );
  // The id is free again.
  send({ text: 'Again. ', context_id: 'b', flush: true }, { close_socket: true });
  assert.equal((await closed)[0], 1000);
  assert.equal(of('b').filter(({ isFinal }) => isFinal).length, 2);
  assert.equal(socket.readyState, socket.CLOSED);
});

test('an error ends its context, an invalid message the socket', async () => {
  const nobody = connect('/text-to-speech/nobody/multi-stream-input');
  await nobody.opened;
  nobody.send({ text: 'Hello. ', context_id: 'a' });
  await until('the error', () => nobody.received.some(({ error, contextId }) => error && contextId === 'a'));
  assert.equal(nobody.socket.readyState, nobody.socket.OPEN);
  nobody.socket.send('no JSON');
  assert.equal((await nobody.closed)[0], 1003);

  const many = connect(MULTI);
  await many.opened;
  for (let index = 0; index < 11; index++) many.send({ text: 'Hello ', context_id: `c${index}` });
  await until('the refusal', () =>
    many.received.some(({ error, contextId }) => error && contextId === 'c10'),
  );
  many.send({ text: 'x'.repeat(500), context_id: 'y'.repeat(500) });
  assert.equal((await many.closed)[0], 1000);
});

test('text after close_socket is an error of the client, and is not logged as one of the server', async () => {
  const { opened, received, send, socket, closed } = connect(MULTI);
  await opened;
  server.speech.pauseAfterChunks = 1;
  try {
    send({ text: 'Hello there, you. ', context_id: 'a', flush: true });
    await until('audio of a', () => received.some(({ audio }) => audio));
    send({ close_socket: true }, { text: 'Late. ', context_id: 'b' });
    await until('the error', () => received.some(({ error }) => error !== undefined));
  } finally {
    server.speech.pauseAfterChunks = Number.POSITIVE_INFINITY;
  }
  const refusal = received.find(({ error }) => error !== undefined);
  assert.deepEqual([refusal?.code, refusal?.contextId], [400, 'b']);
  assert.deepEqual(
    logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= ERROR_LEVEL),
    [],
  );
  socket.close();
  await closed;
});

test('with the commit strategy vad each segment is committed, with times from the start', async () => {
  const { opened, received, send, socket } = connect(`${TRANSCRIBE}?commit_strategy=vad`);
  await opened;
  const second = {
    message_type: 'input_audio_chunk',
    audio_base_64: Buffer.alloc(32_000).toString('base64'),
  };
  const timed = () =>
    received.filter(({ message_type }) => message_type === 'committed_transcript_with_timestamps');
  for (const count of [1, 2]) {
    // The scripted transcription ends a segment at a flush.
    send(second, { message_type: 'input_audio_chunk', commit: true });
    await until('the transcript', () => timed().length === count);
  }
  const starts = timed().map(({ words }) => (words as { start: number }[])[0]?.start);
  assert.deepEqual(starts, [0, 1]);
  assert.equal(received.filter(({ message_type }) => message_type === 'committed_transcript').length, 2);
  socket.close();
});

const HANDSHAKES: readonly (readonly [string, string, number])[] = [
  ['an unknown output format', `${STREAM}?output_format=ulaw_16000`, 400],
  ['an unknown model', `${STREAM}?model_id=Ellipsis`, 400],
  ['µ-law input', `${TRANSCRIBE}?audio_format=ulaw_8000`, 400],
  ['an unknown commit strategy', `${TRANSCRIBE}?commit_strategy=never`, 400],
  ['entity detection', `${TRANSCRIBE}?entity_detection=all`, 400],
];

for (const [what, path, status] of HANDSHAKES) {
  test(`${what} is rejected before the upgrade`, async () => {
    await assert.rejects(connect(path).opened, new RegExp(String(status)));
  });
}

for (const path of [STREAM, MULTI_PATH, TRANSCRIBE]) {
  test(`${path} accepts the key as header, bearer token or query parameter only`, async () => {
    for (const [query, headers] of [
      ['', { authorization: `Bearer ${server.key}` }],
      [`?api_key=${server.key}`, {}],
    ] as const) {
      const { opened, socket } = connect(path + query, headers);
      await opened;
      socket.close();
    }
    await assert.rejects(connect(path, {}).opened, /401/);
    await assert.rejects(connect(`${path}?api_key=wrong`, {}).opened, /401/);
  });

  test(`${path} is closed when its key is revoked`, async () => {
    const { key, id } = await server.keys.create({ accountId: FIRST_ACCOUNT_ID, name: 'live' });
    const { opened, closed } = connect(path, { 'xi-api-key': key });
    await opened;
    assert.equal((await server.call(`/v1/admin/keys/${id}`, { method: 'DELETE' })).status, 200);
    assert.equal((await closed)[0], 1008);
  });
}

test('audio is transcribed while it arrives, and each commit returns a transcript', async () => {
  const { opened, received, send, socket } = connect(
    `${TRANSCRIBE}?language_code=en&keyterms=boat&keyterms=quay`,
  );
  await opened;
  const chunk = (seconds: number, commit = false) => ({
    message_type: 'input_audio_chunk',
    audio_base_64: Buffer.alloc(seconds * 32_000).toString('base64'),
    commit,
    sample_rate: 16_000,
  });
  send(
    { message_type: 'something_else' },
    chunk(1),
    chunk(1, true),
    chunk(0.5),
    chunk(0, true),
    chunk(0, true),
  );
  const of = (type: string) => received.filter(({ message_type }) => message_type === type);
  await until('three committed transcripts', () => of('committed_transcript_with_timestamps').length === 3);
  assert.equal(of('session_started').length, 1);
  assert.ok(of('partial_transcript').length >= 2);
  assert.deepEqual(
    of('committed_transcript').map(({ text }) => text),
    ['the rest', 'the rest', ''],
  );
  const [first, second] = of('committed_transcript_with_timestamps').map(
    ({ words }) => words as { start: number; end: number }[],
  );
  assert.deepEqual([first?.[0]?.start, first?.[0]?.end], [0, 2]);
  assert.deepEqual([second?.[0]?.start, second?.[0]?.end], [2, 2.5]);
  socket.close();
});
