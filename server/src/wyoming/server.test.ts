import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ApiError } from '../errors.ts';
import { createLogger } from '../logger.ts';
import type { WyomingBackend } from './backend.ts';
import { EventDecoder, encodeEvent, type WyomingEvent } from './events.ts';
import { startWyomingServer } from './server.ts';

const RATE_HZ = 24_000;
const AUDIO = { rate: 16_000, width: 2, channels: 1 };

/** Speaks every text as as many bytes as it has characters, and transcribes audio as its number of bytes. */
const backend: WyomingBackend = {
  sampleRateHz: RATE_HZ,
  transcriptionLanguages: ['en', 'de'],
  listVoices: async () => [{ id: 'heart', title: 'Heart', languages: ['en'] }],
  async *speak(text, { name }) {
    if (name === 'nobody') throw new ApiError('voice_not_found', 'Reference not found');
    for await (const part of text) yield Buffer.alloc(2 * part.length, 1);
  },
  async transcribe(audio, { language, sampleRateHz }) {
    let bytes = 0;
    for await (const part of audio) bytes += part.length;
    return `${bytes} bytes at ${sampleRateHz} in ${language}`;
  },
};

/** Sends events, and collects the answers until the one of type `last` or the end of the connection. */
async function exchange(
  t: TestContext,
  sent: readonly (readonly [string, object?, Uint8Array?] | string)[],
  last: string,
): Promise<readonly WyomingEvent[]> {
  const server = await startWyomingServer(backend, {
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ logLevel: 'silent', logFormat: 'json' }),
  });
  t.after(() => server.close());
  const socket = connect(server.port, '127.0.0.1');
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  for (const event of sent) socket.write(typeof event === 'string' ? event : encodeEvent(...event));
  const decoder = new EventDecoder();
  const received: WyomingEvent[] = [];
  for await (const bytes of socket) {
    received.push(...decoder.push(bytes as Buffer));
    if (received.some(({ type }) => type === last)) break;
  }
  return received;
}

test('info names voices, languages and that text can be streamed', async (t) => {
  const [info] = await exchange(t, [['describe']], 'info');
  const { tts, asr } = info!.data as {
    tts: [{ supports_synthesize_streaming: boolean; voices: [{ name: string; languages: string[] }] }];
    asr: [{ models: [{ languages: string[] }] }];
  };
  assert.equal(tts[0].supports_synthesize_streaming, true);
  assert.deepEqual([tts[0].voices[0].name, tts[0].voices[0].languages], ['heart', ['en']]);
  assert.deepEqual(asr[0].models[0].languages, ['en', 'de']);
});

test('a text is spoken between audio-start and audio-stop', async (t) => {
  const events = await exchange(
    t,
    [['synthesize', { text: 'hello', voice: { name: 'heart' } }]],
    'audio-stop',
  );
  assert.deepEqual(
    events.map(({ type }) => type),
    ['audio-start', 'audio-chunk', 'audio-stop'],
  );
  assert.deepEqual([events[0]?.data.rate, events[1]?.payload.length], [RATE_HZ, 10]);
});

test('a text is spoken while it arrives, and the whole text in between is ignored', async (t) => {
  const events = await exchange(
    t,
    [
      ['synthesize-start', { voice: { language: 'en' } }],
      ['synthesize-chunk', { text: 'One. ' }],
      ['synthesize', { text: 'One. Two.' }],
      ['synthesize-chunk', { text: 'Two.' }],
      ['synthesize-stop'],
    ],
    'synthesize-stopped',
  );
  assert.equal(
    events.reduce((sum, { payload }) => sum + payload.length, 0),
    2 * 'One. Two.'.length,
  );
  assert.deepEqual(
    events.slice(-2).map(({ type }) => type),
    ['audio-stop', 'synthesize-stopped'],
  );
});

test('audio is transcribed, several times on one connection', async (t) => {
  const recording = [
    ['audio-start', AUDIO],
    ['audio-chunk', AUDIO, new Uint8Array(3000)],
    ['audio-chunk', AUDIO, new Uint8Array(1000)],
    ['audio-stop', {}],
  ] as const;
  const sent = [
    ['transcribe', { language: 'de' }],
    ...recording,
    ...recording,
    ['ping', { text: 'p' }],
  ] as const;
  const events = await exchange(t, sent, 'pong');
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.text]),
    [
      ['transcript', '4000 bytes at 16000 in de'],
      ['transcript', '4000 bytes at 16000 in undefined'],
      ['pong', 'p'],
    ],
  );
});

const FAILURES: readonly (readonly [string, Parameters<typeof exchange>[1], string])[] = [
  ['no JSON', ['hello\n'], 'invalid_body'],
  ['an unknown voice', [['synthesize', { text: 'hello', voice: { name: 'nobody' } }]], 'voice_not_found'],
  ['a text that is no text', [['synthesize', { text: 5 }]], 'invalid_request'],
  ['a text that is too long', [['synthesize', { text: 'a'.repeat(100_001) }]], 'invalid_request'],
  ['a chunk without start', [['synthesize-chunk', { text: 'hello' }]], 'live_protocol'],
  ['audio without start', [['audio-chunk', AUDIO, new Uint8Array(10)]], 'live_protocol'],
  ['8-bit audio', [['audio-start', { ...AUDIO, width: 1 }]], 'invalid_request'],
  [
    'a changed format',
    [
      ['audio-start', AUDIO],
      ['audio-chunk', { ...AUDIO, rate: 8000 }, new Uint8Array(10)],
    ],
    'invalid_audio',
  ],
  [
    'two starts',
    [
      ['audio-start', AUDIO],
      ['synthesize-start', {}],
    ],
    'live_protocol',
  ],
  ['many requests at once', Array.from({ length: 40 }, () => ['describe'] as const), 'queue_full'],
];
for (const [what, sent, code] of FAILURES) {
  test(`${what}: an error event with ${code}, and the connection ends`, async (t) => {
    const events = await exchange(t, sent, 'error');
    assert.equal(events.at(-1)?.data.code, code);
  });
}

test('an unknown event is dropped', async (t) => {
  const events = await exchange(t, [['select-program', { name: 'x' }], ['ping']], 'pong');
  assert.equal(events.length, 1);
});

test('after an error nothing is processed, and a client that keeps sending is disconnected', async (t) => {
  let listed = 0;
  const counting: WyomingBackend = {
    ...backend,
    listVoices: async () => [{ id: `${listed++}`, title: '', languages: [] }],
  };
  const server = await startWyomingServer(counting, {
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ logLevel: 'silent', logFormat: 'json' }),
  });
  t.after(() => server.close());
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.resume();
  const sending = setInterval(() => socket.write(encodeEvent('describe')), 10);
  t.after(() => clearInterval(sending));
  socket.write('no JSON\n');
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  assert.equal(listed, 0);
});
