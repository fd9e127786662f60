import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { FishAudioClient, FlushEvent, RealtimeEvents } from 'fish-audio';
import { sniffAudio } from '../src/audio/sniff.ts';
import { audioOf, openLive } from './live-client.ts';
import { type RealServer, startRealServer, until } from './real-server.ts';

const run = promisify(execFile);

let server: RealServer;
before(async () => {
  server = await startRealServer();
});
after(() => server.close());

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
  const client = await openLive(server, { path: '/v1/tts/live/with-timestamp' });
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

/** The official Python client in an environment of its own, kept between runs; undefined without Python or an index. */
async function pythonWithClient(): Promise<string | undefined> {
  const folder = join(homedir(), '.cache', 'mynah', 'fish-audio-sdk-1.3.0');
  const python = join(folder, 'bin', 'python');
  if (existsSync(python)) return python;
  const making = `${folder}.${process.pid}`;
  try {
    await run('python3', ['-m', 'venv', '--copies', making]);
    await run(join(making, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', 'fish-audio-sdk==1.3.0']);
    await rename(making, folder);
    return python;
  } catch {
    await rm(making, { recursive: true, force: true });
    return undefined;
  }
}

const PYTHON = `
import sys
from fishaudio import FishAudio, TTSConfig
from fishaudio.types import FlushEvent

client = FishAudio(api_key=sys.argv[2], base_url=sys.argv[1])
config = TTSConfig(format="mp3")

def words(*texts):
    yield from texts

flushed = b"".join(client.tts.stream_websocket(words("Hello there", FlushEvent(), " and goodbye."), config=config))
assert len(flushed) > 5000 and flushed[:2] in (b"\\xff\\xfb", b"ID"), len(flushed)
assert b"".join(client.tts.stream_websocket(words(), config=config)) == b""
for turn in range(3):
    assert len(b"".join(client.tts.stream_websocket(words("This is call ", str(turn), "."), config=config))) > 1000
try:
    list(client.tts.stream_websocket(words("Hello."), reference_id="nobody"))
    raise SystemExit("a wrong voice went unnoticed")
except Exception as error:
    assert "WebSocket" in type(error).__name__, repr(error)
print("heard")
`;

test('the Python client hears a stream, a flush, an empty stream and three calls in a row', async (t) => {
  const python = await pythonWithClient();
  if (python === undefined) return t.skip('no Python, or no package index');
  const { stdout } = await run(python, ['-c', PYTHON, server.url, server.key], { timeout: 120_000 });
  assert.equal(stdout.trim(), 'heard');
});
