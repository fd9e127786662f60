import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseResidentBytes } from '../../../bench/processes/processes.ts';
import { encodeWavFile } from '../../../src/audio/encode/wav.ts';
import { aiffFile, encodedFile, vorbisFile, wavFile, webmFile } from '../../support/audio/encoded-files.ts';
import { tone } from '../../support/audio/signals.ts';
import { until } from '../../support/servers/real-server.ts';
import { useRealServer } from '../../support/servers/shared-real-server.ts';

const MEBIBYTE = 2 ** 20;
/** What an upload of any size may take in the process that receives it. */
const GROWTH_MAX_BYTES = 120 * MEBIBYTE;

const server = useRealServer();
before(async () => {
  // The process that hears comes with the first recording, and must still be there after the last one.
  assert.deepEqual(await send('tone.wav', await FILES.WAV!()), { status: 200, code: null, text: '' });
});

const hum = (sampleRateHz: number) => tone({ frequencyHz: 220, seconds: 2, sampleRateHz, amplitude: 0.3 });
const FILES: Readonly<Record<string, () => Promise<Uint8Array>>> = {
  WAV: async () => encodeWavFile({ samples: hum(16_000), sampleRateHz: 16_000 }),
  AIFF: async () =>
    aiffFile({ bitsPerSample: 16, channels: 1, sampleRateHz: 16_000, data: new Uint8Array(64_000) }),
  MP3: () => encodedFile('mp3', hum(44_100), 44_100),
  FLAC: () => encodedFile('flac', hum(24_000), 24_000),
  'Ogg Opus': () => encodedFile('opus', hum(48_000), 48_000),
  'Ogg Vorbis': () => vorbisFile(hum(44_100), 44_100, 1),
  WebM: () => webmFile(hum(48_000)),
};

/** Sends a recording, and waits until nothing of it is left on disk. */
async function send(name: string, ...parts: readonly Uint8Array[]) {
  const body = new FormData();
  body.append('audio', new Blob(parts.map((part) => Uint8Array.from(part))), name);
  body.append('language', 'en');
  const response = await fetch(`${server.url}/v1/asr`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}` },
    body,
  });
  const { text } = (await response.json()) as { readonly text?: string };
  await until('the recording is removed', async () => (await recordings()).length === 0);
  return { status: response.status, code: response.headers.get('x-fish-error-code'), text };
}

async function recordings(): Promise<string[]> {
  const entries = await readdir(join(server.dataFolder, 'uploads'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const TEN_HOURS_BYTES = 36_000 * 16_000 * 2;
const REFUSALS: readonly (readonly [name: string, file: string, bytes: Uint8Array, code: string])[] = [
  ['an empty file', 'empty.mp3', new Uint8Array(0), 'invalid_audio'],
  ['a single byte', 'one.flac', Uint8Array.of(0x66), 'invalid_audio'],
  ['a bomb in gzip', 'bomb.flac', gzipSync(new Uint8Array(64 * MEBIBYTE)), 'invalid_audio'],
  ['a page of text', 'page.wav', Buffer.from('<!doctype html>'.repeat(500)), 'invalid_audio'],
  [
    'a second that claims to be ten hours',
    'claim.wav',
    wavFile({ tag: 1, bitsPerSample: 16, data: new Uint8Array(32_000), dataSize: TEN_HOURS_BYTES }),
    'audio_too_long',
  ],
];
for (const [name, file, bytes, code] of REFUSALS) {
  test(`${name} named ${file} is refused with ${code}`, async () => {
    const answer = await send(file, bytes);
    assert.deepEqual([answer.status, answer.code], [400, code]);
  });
}

for (const [name, make] of Object.entries(FILES)) {
  test(`${name} under a wrong name is heard as what it is; cut off, it is heard or refused`, async () => {
    const file = await make();
    assert.deepEqual(await send('recording.txt', file), { status: 200, code: null, text: '' });
    for (const share of [0.01, 0.4, 0.98]) {
      const { status, code, text } = await send('cut.wav', file.subarray(0, Math.ceil(share * file.length)));
      if (status === 200) assert.equal(text, '');
      else assert.ok(status === 400 && ['invalid_audio', 'audio_too_short'].includes(code!), `${code}`);
    }
  });
}

test('200 MB go to disk and not through memory, and the same process hears on', async () => {
  const [worker] = await transcriptionPids();
  const idleBytes = await residentBytes();
  let mostBytes = 0;
  const looking = setInterval(async () => {
    mostBytes = Math.max(mostBytes, await residentBytes());
  }, 20);
  const part = new Uint8Array(10 * MEBIBYTE);
  const answer = await send('large.mp3', ...Array.from({ length: 20 }, () => part));
  clearInterval(looking);
  assert.deepEqual([answer.status, answer.code], [400, 'invalid_audio']);
  assert.ok(mostBytes - idleBytes < GROWTH_MAX_BYTES, `${(mostBytes - idleBytes) / MEBIBYTE} MiB`);
  assert.deepEqual(await transcriptionPids(), [worker]);
});

async function residentBytes(): Promise<number> {
  return parseResidentBytes(await readFile(`/proc/${server.process.pid}/status`, 'utf8'));
}

async function transcriptionPids(): Promise<number[]> {
  const pids = await server.workerPids();
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')));
  return pids.filter((_, index) => commands[index]!.includes('transcription-main'));
}
