import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  openLiveTranscription,
  type TranscriptionFrame,
} from '../../support/calls/live-transcription-client.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ config: { asrMaxSeconds: 10, asrLiveIdleSeconds: 1 } });
});
after(() => server.close());

const connect = (headers?: Record<string, string>) => openLiveTranscription(server, headers);

const second = (sampleRate = 16_000) => ({ event: 'audio', audio: Buffer.alloc(sampleRate * 2) });

test('audio is transcribed to partial text, segments and the complete text', async () => {
  const client = await connect();
  client.send({ event: 'start', request: { language: 'en', prompt: null } }, second(), second());
  await until('two partials', () => client.framesOf('partial').length === 2);
  client.send({ event: 'flush' });
  await until('one segment', () => client.framesOf('segment').length === 1);
  client.send(second(), { event: 'stop' });
  await until('a finish frame', () => client.framesOf('finish').length === 1);
  assert.deepEqual(client.framesOf('partial')[1], { event: 'partial', text: '2000 ms', start: 0, end: 2 });
  const [flushed, rest] = client.framesOf('segment');
  assert.equal(flushed?.text, '2000 ms');
  assert.deepEqual([rest?.text, rest?.start, rest?.end], ['the rest', 2, 3]);
  assert.deepEqual(client.framesOf('finish')[0], {
    event: 'finish',
    reason: 'stop',
    text: '2000 ms the rest',
    duration: 3,
  });
  client.socket.close();
});

test('one socket serves consecutive sessions with different sample rates and without partials', async () => {
  const client = await connect();
  for (const sample_rate of [8000, 48_000]) {
    client.send({ event: 'start', request: { sample_rate, partials: false } }, second(sample_rate), {
      event: 'stop',
    });
  }
  await until('two finish frames', () => client.framesOf('finish').length === 2);
  assert.equal(client.framesOf('partial').length, 0);
  for (const { duration } of client.framesOf('finish')) assert.ok(Math.abs(Number(duration) - 1) < 0.05);
  client.send({ event: 'stop' });
  await until('three finish frames', () => client.framesOf('finish').length === 3);
  client.socket.close();
});

const FAULTS: readonly (readonly [string, TranscriptionFrame[], string, number?])[] = [
  ['audio before `start`', [second()], 'live_protocol', 1008],
  ['a second `start`', [{ event: 'start' }, { event: 'start' }], 'live_protocol', 1008],
  ['an unknown event', [{ event: 'sing' }], 'live_protocol', 1008],
  ['silence within a session', [{ event: 'start' }], 'live_silence', 1008],
  ['an unknown encoding', [{ event: 'start', request: { encoding: 'mp3' } }], 'invalid_request'],
  [
    'a sample rate whose ratio to 16 kHz needs too many phases',
    [{ event: 'start', request: { sample_rate: 16_021 } }],
    'sample_rate_not_supported',
  ],
  ['an unknown language', [{ event: 'start', request: { language: 'klingon' } }], 'language_not_supported'],
  ['audio that is text', [{ event: 'start' }, { event: 'audio', audio: 'hello' }], 'invalid_request'],
  [
    'invalid Opus',
    [
      { event: 'start', request: { encoding: 'opus' } },
      { event: 'audio', audio: Buffer.of(0xff, 0) },
    ],
    'invalid_audio',
    1003,
  ],
  [
    'more than the limit',
    [{ event: 'start' }, ...Array.from({ length: 11 }, () => second())],
    'audio_too_long',
    1009,
  ],
];
for (const [name, messages, code, closeCode = 1000] of FAULTS) {
  test(`${name} ends the session with ${code}, and the socket`, async () => {
    const client = await connect();
    client.send(...messages);
    assert.deepEqual(await client.untilClosed(), { code: closeCode, reason: code });
    const [error] = client.framesOf('error');
    assert.equal(error?.code, code);
    assert.deepEqual(client.received.at(-1), { event: 'finish', reason: 'error', message: error?.error });
    await until('no active transcription', () => server.transcription.active === 0);
  });
}

test('invalid MessagePack closes the socket, and text messages are ignored', async () => {
  const client = await connect();
  client.socket.send('hello');
  client.socket.send(Buffer.from([0xc1]));
  assert.equal((await client.untilClosed()).code, 1003);
});

test('a client without a valid key is rejected at the handshake', async () => {
  await assert.rejects(connect({ authorization: 'Bearer nobody' }), /401/);
});

test('an idle socket is closed, and disconnecting stops the transcription', async () => {
  const silent = await connect();
  assert.equal((await silent.untilClosed()).code, 1000);
  const leaving = await connect();
  leaving.send({ event: 'start' }, second());
  await until('an active transcription', () => server.transcription.active === 1);
  leaving.socket.terminate();
  await until('no active transcription', () => server.transcription.active === 0);
});
