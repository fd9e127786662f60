import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../support/http-server.ts';
import { type ListeningFrame, openListening } from '../support/live-transcription-client.ts';
import { until } from '../support/real-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ config: { asrMaxSeconds: 10, asrLiveIdleSeconds: 1 } });
});
after(() => server.close());

const connect = (headers?: Record<string, string>) => openListening(server, headers);

const second = (sampleRate = 16_000) => ({ event: 'audio', audio: Buffer.alloc(sampleRate * 2) });

test('sound goes in; partial text, segments and the whole come out', async () => {
  const client = await connect();
  client.send({ event: 'start', request: { language: 'en', prompt: null } }, second(), second());
  await until('partial text came', () => client.heard('partial').length === 2);
  client.send({ event: 'flush' });
  await until('a segment came', () => client.heard('segment').length === 1);
  client.send(second(), { event: 'stop' });
  await until('it is over', () => client.heard('finish').length === 1);
  assert.deepEqual(client.heard('partial')[1], { event: 'partial', text: '2000 ms', start: 0, end: 2 });
  const [flushed, rest] = client.heard('segment');
  assert.equal(flushed?.text, '2000 ms');
  assert.deepEqual([rest?.text, rest?.start, rest?.end], ['the rest', 2, 3]);
  assert.deepEqual(client.heard('finish')[0], {
    event: 'finish',
    reason: 'stop',
    text: '2000 ms the rest',
    duration: 3,
  });
  client.socket.close();
});

test('a socket may serve one session after another, in other rates and without partial text', async () => {
  const client = await connect();
  for (const sample_rate of [8000, 48_000]) {
    client.send({ event: 'start', request: { sample_rate, partials: false } }, second(sample_rate), {
      event: 'stop',
    });
  }
  await until('both are over', () => client.heard('finish').length === 2);
  assert.equal(client.heard('partial').length, 0);
  for (const { duration } of client.heard('finish')) assert.ok(Math.abs(Number(duration) - 1) < 0.05);
  client.send({ event: 'stop' });
  await until('an empty session is over', () => client.heard('finish').length === 3);
  client.socket.close();
});

const FAULTS: readonly (readonly [string, ListeningFrame[], string, number?])[] = [
  ['sound before `start`', [second()], 'live_protocol', 1008],
  ['a second `start`', [{ event: 'start' }, { event: 'start' }], 'live_protocol', 1008],
  ['an unknown event', [{ event: 'sing' }], 'live_protocol', 1008],
  ['silence within a session', [{ event: 'start' }], 'live_silence', 1008],
  ['an unknown encoding', [{ event: 'start', request: { encoding: 'mp3' } }], 'invalid_request'],
  ['an unknown language', [{ event: 'start', request: { language: 'klingon' } }], 'language_not_supported'],
  ['sound that is text', [{ event: 'start' }, { event: 'audio', audio: 'hello' }], 'invalid_request'],
  [
    'what is no Opus',
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
    const [error] = client.heard('error');
    assert.equal(error?.code, code);
    assert.deepEqual(client.received.at(-1), { event: 'finish', reason: 'error', message: error?.error });
    await until('nobody listens', () => server.transcription.active === 0);
  });
}

test('what is no MessagePack closes the socket; text is ignored', async () => {
  const client = await connect();
  client.socket.send('hello');
  client.socket.send(Buffer.from([0xc1]));
  assert.equal((await client.untilClosed()).code, 1003);
});

test('a client without a key is refused at the handshake', async () => {
  await assert.rejects(connect({ authorization: 'Bearer nobody' }), /401/);
});

test('a silent client is let go, and one that leaves stops the work', async () => {
  const silent = await connect();
  assert.equal((await silent.untilClosed()).code, 1000);
  const leaving = await connect();
  leaving.send({ event: 'start' }, second());
  await until('it is heard', () => server.transcription.active === 1);
  leaving.socket.terminate();
  await until('nobody listens', () => server.transcription.active === 0);
});
