import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FishAudioClient, FlushEvent, RealtimeEvents } from 'fish-audio';
import { sniffAudio } from '../../../src/audio/sniff.ts';
import { audioOf, openLiveSpeech } from '../../support/calls/live-speech-client.ts';
import { until } from '../../support/servers/real-server.ts';
import { useRealServer } from '../../support/servers/shared-real-server.ts';

const server = useRealServer();

/** What the official npm client hears. */
async function convertRealtime(request: object, texts: AsyncIterable<string> | Iterable<string>) {
  const client = new FishAudioClient({ apiKey: server.key, baseUrl: server.url });
  const stream = (async function* () {
    yield* texts;
  })();
  const connection = await client.textToSpeech.convertRealtime({ text: '', ...request }, stream, 's1');
  const audio: Buffer[] = [];
  const errors: unknown[] = [];
  connection.on(RealtimeEvents.AUDIO_CHUNK, (chunk) => audio.push(Buffer.from(chunk as Uint8Array)));
  connection.on(RealtimeEvents.ERROR, (error) => errors.push(error));
  const closed = new Promise<void>((resolve) => connection.on(RealtimeEvents.CLOSE, () => resolve()));
  return { connection, audio, errors, closed };
}

test('the npm client hears a text that streams in, in every format', async () => {
  for (const format of ['mp3', 'wav', 'opus'] as const) {
    const texts = ['The little boat ', 'came home at last, ', 'and nobody had seen it ', 'leave.'];
    const { connection, audio, errors, closed } = await convertRealtime({ format }, texts);
    await closed;
    connection.close();
    assert.deepEqual(errors, []);
    const file = Buffer.concat(audio);
    assert.equal(sniffAudio(file), { mp3: 'mp3', wav: 'wav', opus: 'ogg/opus' }[format]);
    assert.ok(file.length > 5000, `${format}: ${file.length} bytes`);
    // One header for the whole session.
    if (format === 'wav') assert.equal(file.indexOf('RIFF', 4), -1);
  }
});

test('the npm client hears a flush before the text is complete', async () => {
  let hasHeard = () => {};
  const heard = new Promise<void>((resolve) => {
    hasHeard = resolve;
  });
  const texts = (async function* () {
    yield 'Hello there';
    await heard;
    yield ', and goodbye.';
  })();
  const { connection, audio, closed } = await convertRealtime({ format: 'pcm' }, texts);
  connection.on(RealtimeEvents.OPEN, () => setTimeout(() => connection.send(new FlushEvent()), 200));
  await until('the flushed words are heard', () => audio.length > 0);
  hasHeard();
  await closed;
  connection.close();
});

test('the npm client is told of a wrong voice, and hears nothing of an empty text', async () => {
  const empty = await convertRealtime({ format: 'mp3' }, []);
  await empty.closed;
  empty.connection.close();
  assert.deepEqual([empty.audio, empty.errors], [[], []]);

  const wrong = await convertRealtime({ reference_id: 'nobody' }, ['Hello.']);
  await wrong.closed;
  assert.match(String((wrong.errors[0] as Error).message ?? wrong.errors[0]), /Reference not found/);
});

test('a live text sounds as the same text over HTTP, and its words come with times', async () => {
  const text = 'The museum opened on May 14th, 1893. Tickets cost $18.50!';
  const client = await openLiveSpeech(server, { path: '/v1/tts/live/with-timestamp' });
  const frames = await client.speak(text.match(/\s*\S{1,3}/g) ?? [], { seed: 3 });
  client.socket.close();
  const audio = frames.filter(({ event }) => event === 'audio');
  for (const frame of audio) {
    for (const key of ['content', 'alignment', 'chunk_seq', 'chunk_audio_offset_sec'])
      assert.ok(key in frame, key);
  }
  const chunks = new Map(
    audio.flatMap((frame) => (frame.alignment ? [[frame.chunk_seq, frame.alignment]] : [])),
  );
  const words = [...chunks.values()].flatMap(({ segments }) => segments.map((segment) => segment.text));
  assert.deepEqual(words, [
    'The',
    'museum',
    'opened',
    'on',
    'May',
    '14th',
    '1893',
    'Tickets',
    'cost',
    '$18.50',
  ]);
  const plain = await server.speak({ text, seed: 3, format: 'pcm' });
  const seconds = (await plain.arrayBuffer()).byteLength / 88_200;
  assert.ok(
    Math.abs(audioOf(frames).length / 88_200 - seconds) < 1,
    `${audioOf(frames).length / 88_200} s and ${seconds} s`,
  );
});
