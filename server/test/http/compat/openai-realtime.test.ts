import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { voicesOf } from '../../support/workers/tone-speech.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ config: { billing: 'prepaid' } });
  const { ledger } = server.accounts.accounting;
  await ledger.topUp({ id: 'top', accountId: FIRST_ACCOUNT_ID, amountNano: NANO_PER_USD, memo: '' });
});
after(() => server.close());
afterEach(() => {
  server.speech.pauseAfterChunks = Number.POSITIVE_INFINITY;
});

interface ServerEvent {
  readonly type: string;
  readonly delta?: string;
  readonly transcript?: string;
  readonly session?: { audio: { output?: object; input: object }; object: string };
  readonly error?: { code: string; event_id?: string | null };
  readonly response?: { status: string; status_details: { error?: { code: string } } | null };
}

/** Opens a socket that records all events. */
async function connect(query = '', options: { protocols?: string[]; headers?: Record<string, string> } = {}) {
  const { protocols = [], headers = { authorization: `Bearer ${server.key}` } } = options;
  const url = `${server.url.replace('http', 'ws')}/compat/v1/realtime${query}`;
  const socket = new WebSocket(url, protocols, { headers });
  const events: ServerEvent[] = [];
  socket.on('message', (data) => events.push(JSON.parse(String(data)) as ServerEvent));
  await once(socket, 'open');
  const of = (type: string) => events.filter((event) => event.type === type);
  return {
    socket,
    events,
    of,
    send: (...messages: object[]) => {
      for (const message of messages) socket.send(JSON.stringify(message));
    },
    waitFor: async (type: string, count = 1) => {
      await until(type, () => of(type).length >= count);
      return of(type).at(-1)!;
    },
  };
}

const item = (text: string, id?: string) => ({
  type: 'conversation.item.create',
  item: { ...(id && { id }), type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
const RESPOND = { type: 'response.create' };

test('all texts are synthesized in one response, with every event of the protocol', async () => {
  const { socket, send, waitFor, of, events } = await connect('?model=fish-audio/s1');
  await waitFor('session.created');
  send(item('Hello there.'), item('Not this.', 'gone'), {
    type: 'conversation.item.delete',
    item_id: 'gone',
  });
  send(item('Bye.'), RESPOND);
  assert.equal((await waitFor('response.done')).response?.status, 'completed');
  const audio = Buffer.concat(
    of('response.output_audio.delta').map(({ delta }) => Buffer.from(delta!, 'base64')),
  );
  assert.equal(audio.length, 2 * 24_000 * 0.05 * 'Hello there.\nBye.'.length);
  assert.equal(of('response.output_audio_transcript.done')[0]?.transcript, 'Hello there.\nBye.');
  const steps = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
  assert.deepEqual(steps.slice(steps.indexOf('response.created')), [
    'response.created',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_audio_transcript.delta',
    'response.output_audio.delta',
    'response.output_audio.done',
    'response.output_audio_transcript.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.done',
  ]);
  const { model, sampleRateHz, voice } = server.speech.requests.at(-1)!;
  assert.deepEqual([model, sampleRateHz, voice], ['s1', 24_000, undefined]);
  send(RESPOND);
  assert.equal((await waitFor('error')).error?.code, 'nothing_to_speak');
  socket.close();
});

test('voice, speed and formats can be set in both places and are returned', async () => {
  const { socket, send, waitFor } = await connect('', {
    headers: { authorization: `Bearer ${server.key}`, 'x-fish-seed': '9' },
  });
  const output = { voice: 'af_bella', speed: 1.5, format: { type: 'audio/mp3', rate: 32_000 } };
  send({ type: 'session.update', session: { type: 'realtime', audio: { output } } });
  const updated = await waitFor('session.updated');
  assert.deepEqual(updated.session?.audio.output, output);
  send(
    { type: 'session.update', session: { voice: 'af_sky', output_audio_format: 'wav' } },
    item('Hi.'),
    RESPOND,
  );
  await waitFor('response.done');
  const { voice, format, sampleRateHz, speed, seed } = server.speech.requests.at(-1)!;
  assert.deepEqual(
    [voicesOf({ voice })[0]?.name, format, sampleRateHz, speed, seed],
    ['af_sky', 'wav', 44_100, 1.5, 9],
  );
  socket.close();
});

const PROBLEMS: readonly (readonly [string, object, string])[] = [
  ['an unknown event', { type: 'output_audio_buffer.clear' }, 'unknown_event_type'],
  ['no JSON object', [1], 'unknown_event_type'],
  [
    'an unknown turn detection',
    { type: 'session.update', session: { turn_detection: { type: 'push_to_talk' } } },
    'unsupported_turn_detection',
  ],
  [
    'words only',
    { type: 'session.update', session: { output_modalities: ['text'] } },
    'unsupported_modalities',
  ],
  [
    'µ-law',
    { type: 'session.update', session: { audio: { output: { format: { type: 'audio/pcmu' } } } } },
    'unsupported_format',
  ],
  [
    'a format with a name that every object inherits',
    { type: 'session.update', session: { output_audio_format: 'constructor' } },
    'unsupported_format',
  ],
  ['a speed of four', { type: 'session.update', session: { speed: 4 } }, 'invalid_speed'],
  ['an empty commit', { type: 'input_audio_buffer.commit' }, 'input_audio_buffer_commit_empty'],
  ['cancelling nothing', { type: 'response.cancel' }, 'response_cancel_not_active'],
];

for (const [what, message, code] of PROBLEMS) {
  test(`${what} is an error event, and the socket stays open`, async () => {
    const { socket, send, waitFor } = await connect();
    send({ ...message, event_id: 'mine' });
    const { error } = await waitFor('error');
    assert.equal(error?.code, code);
    assert.equal(error?.event_id, 'mine');
    send(item('Hi.'), RESPOND);
    assert.equal((await waitFor('response.done')).response?.status, 'completed');
    socket.close();
  });
}

test('only one response is active at a time, and it can be cancelled', async () => {
  const { socket, send, waitFor, of } = await connect();
  server.speech.pauseAfterChunks = 1;
  send(item('A long text.'), RESPOND, RESPOND);
  assert.equal((await waitFor('error')).error?.code, 'response_already_active');
  await waitFor('response.output_audio.delta');
  send({ type: 'response.cancel' });
  assert.equal((await waitFor('response.done')).response?.status, 'cancelled');
  server.speech.pauseAfterChunks = Number.POSITIVE_INFINITY;
  await until('synthesis stops', () => server.speech.active === 0);
  const before = of('response.output_audio.delta').length;
  send(item('Short.'), RESPOND);
  assert.equal((await waitFor('response.done', 2)).response?.status, 'completed');
  assert.ok(of('response.output_audio.delta').length > before);
  socket.close();
});

test('a rejected response fails, and disconnecting stops the active response', async () => {
  const { socket, send, waitFor } = await connect();
  send({ ...RESPOND, response: { voice: 'nobody', input: [item('Hi.').item] } });
  const { response } = await waitFor('response.done');
  assert.equal(response?.status, 'failed');
  assert.equal(response?.status_details?.error?.code, 'voice_not_found');
  server.speech.pauseAfterChunks = 1;
  send(item('A long text.'), RESPOND);
  await waitFor('response.output_audio.delta');
  socket.terminate();
  await until('synthesis stops', () => server.speech.active === 0);
});

test('committed audio is transcribed and charged', async () => {
  const { ledger } = server.accounts.accounting;
  // The charge of an earlier test may still be open.
  await until('earlier charges are settled', async () => (await ledger.verify()).openHolds === 0);
  const beforeNano = (await ledger.wallet(FIRST_ACCOUNT_ID)).spentNano;
  const { socket, send, waitFor, of } = await connect('?intent=transcription');
  assert.equal(
    (await waitFor('transcription_session.created')).session?.object,
    'realtime.transcription_session',
  );
  const append = { type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000).toString('base64') };
  send({ type: 'transcription_session.update', session: { input_audio_transcription: { language: 'en' } } });
  await waitFor('transcription_session.updated');
  send(append, { type: 'input_audio_buffer.clear' }, append, append, { type: 'input_audio_buffer.commit' });
  const { transcript } = await waitFor('conversation.item.input_audio_transcription.completed');
  assert.equal(transcript, 'the rest');
  assert.equal(of('input_audio_buffer.committed').length, 1);
  await until('the charge is settled', async () => {
    const { spentNano } = await ledger.wallet(FIRST_ACCOUNT_ID);
    return spentNano - beforeNano === 2 * 100_000;
  });
  socket.close();
});

test('after a failed transcription the audio can be committed again', async () => {
  const { socket, send, waitFor } = await connect('?model=whisper-1');
  const audio = Buffer.alloc(48_000).toString('base64');
  send({ type: 'session.update', session: { input_audio_transcription: { language: 'klingon' } } });
  send({ type: 'input_audio_buffer.append', audio }, { type: 'input_audio_buffer.commit' });
  await waitFor('conversation.item.input_audio_transcription.failed');
  send({ type: 'session.update', session: { input_audio_transcription: { language: 'en' } } });
  send({ type: 'input_audio_buffer.commit' });
  await waitFor('conversation.item.input_audio_transcription.completed');
  socket.close();
});

const APPEND = { type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000).toString('base64') };
const COMPLETED = 'conversation.item.input_audio_transcription.completed';
const withTurns = (turn_detection: object | null) => ({
  type: 'session.update',
  session: { type: 'transcription', audio: { input: { turn_detection } } },
});

test('with turn detection each segment of speech is an item with its transcript', async () => {
  const { socket, send, waitFor, of, events } = await connect('?intent=transcription');
  send(withTurns({ type: 'server_vad', threshold: 0.5, silence_duration_ms: 350 }));
  const { session } = await waitFor('transcription_session.updated');
  assert.deepEqual(session?.audio.input, {
    format: { type: 'audio/pcm', rate: 24_000 },
    turn_detection: { type: 'server_vad', create_response: false, interrupt_response: true },
    transcription: { language: null },
  });
  send(APPEND);
  await waitFor('input_audio_buffer.speech_started');
  send({ type: 'input_audio_buffer.commit' });
  assert.match((await waitFor(COMPLETED)).transcript ?? '', /^\d+ ms$/);
  const types = events.map(({ type }) => type);
  assert.deepEqual(types.slice(types.indexOf('input_audio_buffer.speech_started')), [
    'input_audio_buffer.speech_started',
    'input_audio_buffer.speech_stopped',
    'input_audio_buffer.committed',
    'conversation.item.added',
    'conversation.item.done',
    'conversation.item.input_audio_transcription.delta',
    COMPLETED,
  ]);
  // Without turn detection the rest of the audio is a turn, and the client commits again.
  send(APPEND, withTurns(null));
  assert.equal((await waitFor(COMPLETED, 2)).transcript, 'the rest');
  send(APPEND, { type: 'input_audio_buffer.commit' });
  await waitFor(COMPLETED, 3);
  assert.equal(of('input_audio_buffer.speech_started').length, 2);
  socket.close();
});

test('cleared audio of a turn has no transcript, and a failed session is replaced by the next audio', async () => {
  const { socket, send, waitFor, of } = await connect('?intent=transcription');
  send(withTurns({ type: 'semantic_vad' }), APPEND);
  await waitFor('input_audio_buffer.speech_started');
  send({ type: 'input_audio_buffer.clear' });
  await waitFor('input_audio_buffer.cleared');
  send({ type: 'session.update', session: { input_audio_transcription: { language: 'klingon' } } }, APPEND);
  await waitFor('error');
  send({ type: 'session.update', session: { input_audio_transcription: { language: 'en' } } }, APPEND);
  await waitFor('input_audio_buffer.speech_started', 2);
  send({ type: 'input_audio_buffer.commit' });
  await waitFor(COMPLETED);
  assert.equal(of(COMPLETED).length, 1);
  socket.close();
});

test('speech of the user cancels the active response, unless the client refuses that', async () => {
  server.speech.pauseAfterChunks = 1;
  const { socket, send, waitFor, of } = await connect();
  send(withTurns({ type: 'server_vad', interrupt_response: false }), item('A long text.'), RESPOND, APPEND);
  await waitFor('input_audio_buffer.speech_started');
  assert.equal(of('response.done').length, 0);
  send(withTurns({ type: 'server_vad' }), APPEND);
  const { response } = await waitFor('response.done');
  assert.equal(response?.status, 'cancelled');
  assert.deepEqual(response?.status_details, { type: 'cancelled', reason: 'turn_detected' });
  socket.close();
});

test('the key can be a subprotocol or a query parameter, and revoking it closes the socket', async () => {
  const page = await connect('', {
    headers: {},
    protocols: ['realtime', `openai-insecure-api-key.${server.key}`, 'openai-beta.realtime-v1'],
  });
  assert.equal(page.socket.protocol, 'realtime');
  page.socket.close();
  await assert.rejects(connect('?model=llama-9'), /400/);
  await assert.rejects(connect('', { headers: {} }), /401/);
  const { key, id } = await server.keys.create({ accountId: FIRST_ACCOUNT_ID, name: 'live' });
  const { socket } = await connect(`?api_key=${key}`, { headers: {} });
  const closed = once(socket, 'close');
  await server.call(`/v1/admin/keys/${id}`, { method: 'DELETE' });
  assert.equal((await closed)[0], 1008);
});

test('a key needs the scope of the requested operation', async () => {
  const { key } = await server.keys.create({
    accountId: FIRST_ACCOUNT_ID,
    name: 'asr-only',
    scopes: ['asr'],
  });
  const { socket, send, waitFor } = await connect('', { headers: { authorization: `Bearer ${key}` } });
  send(item('Hi.'), RESPOND);
  assert.equal((await waitFor('error')).error?.code, 'insufficient_scope');
  socket.close();
});
