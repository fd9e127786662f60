import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MynahError } from '../errors.ts';
import { readWav, type WavChunk } from './wav-stream.ts';

const SAMPLES = [0, 16_384, -32_768, 8192, 1, -1];

function wav({ channels = 1, bits = 16 } = {}): Uint8Array {
  const bytes = new Uint8Array(12 + 24 + 12 + 8 + 2 * SAMPLES.length);
  const view = new DataView(bytes.buffer);
  const name = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  name(0, 'RIFF');
  name(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, 24_000, true);
  view.setUint16(34, bits, true);
  name(36, 'LIST');
  view.setUint32(40, 4, true);
  name(48, 'data');
  view.setUint32(52, 0xffffffff, true);
  SAMPLES.forEach((sample, index) => void view.setInt16(56 + 2 * index, sample, true));
  return bytes;
}

async function read(bytes: Uint8Array, chunkBytes: number): Promise<WavChunk[]> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const read: WavChunk[] = [];
  for await (const chunk of readWav(chunks())) read.push(chunk);
  return read;
}

test('samples do not depend on the chunks of the stream', async () => {
  for (const chunkBytes of [1, 3, 7, 57, 1000]) {
    const chunks = await read(wav(), chunkBytes);
    const samples = chunks.flatMap((chunk) => [...chunk.samples]);
    assert.deepEqual(
      samples.map((sample) => sample * 32_768),
      SAMPLES,
    );
    assert.equal(chunks[0]?.sampleRateHz, 24_000);
  }
});

test('a stereo frame is never split', async () => {
  const chunks = await read(wav({ channels: 2 }), 5);
  assert.ok(chunks.every(({ samples, channels }) => channels === 2 && samples.length % 2 === 0));
});

test('other sample formats are rejected', async () => {
  const long = new Uint8Array(5000);
  long.set(wav({ bits: 24 }));
  await assert.rejects(read(long, 5000), MynahError);
});
