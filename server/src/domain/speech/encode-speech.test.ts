import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pcm } from '../../audio/pcm.ts';
import { type AudioSettings, encodeSpeech } from './encode-speech.ts';

const WAV: AudioSettings = {
  format: 'wav',
  sampleRateHz: 24000,
  mp3BitrateKbps: 128,
  opusBitrateBps: 'auto',
};

async function* tone(parts: number, log: string[] = []): AsyncGenerator<Pcm> {
  try {
    for (let part = 0; part < parts; part++) {
      yield { samples: new Float32Array(2400).fill(0.25), sampleRateHz: 24000 };
    }
  } finally {
    log.push('ended');
  }
}

async function* broken(): AsyncGenerator<Pcm> {
  yield { samples: new Float32Array(2400), sampleRateHz: 24000 };
  throw new Error('engine lost');
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const part of body) bytes += part.length;
  return bytes;
}

test('the file has the duration of the audio, at any output sample rate', async () => {
  const same = await encodeSpeech(tone(10), WAV);
  assert.equal(same.contentType, 'audio/wav');
  assert.equal(await bytesOf(same.body), 44 + 10 * 2400 * 2);
  const resampled = await encodeSpeech(tone(10), { ...WAV, sampleRateHz: 8000 });
  assert.equal(await bytesOf(resampled.body), 44 + 10 * 800 * 2);
});

test('an empty stream gives an empty file', async () => {
  assert.equal(await bytesOf((await encodeSpeech(tone(0), WAV)).body), 44);
});

test('a failure while the encoder starts up rejects, and is not an unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    // biome-ignore lint/correctness/useYield: it fails before its first samples
    const failing = (async function* (): AsyncGenerator<Pcm> {
      throw new Error('aborted');
    })();
    // The encoder is a WebAssembly module, which is compiled in several turns of the event loop.
    await assert.rejects(encodeSpeech(failing, { ...WAV, format: 'mp3' }), /aborted/);
    await nextTurn();
  } finally {
    process.off('unhandledRejection', note);
  }
  assert.deepEqual(unhandled, []);
});

test('a failure before the first samples rejects, a later one fails the body', async () => {
  // biome-ignore lint/correctness/useYield: it fails before the first yield
  const failing = (async function* (): AsyncGenerator<Pcm> {
    throw new Error('no engine');
  })();
  await assert.rejects(encodeSpeech(failing, WAV), /no engine/);
  const { body } = await encodeSpeech(broken(), WAV);
  await assert.rejects(bytesOf(body), /engine lost/);
});

test('ending the body early ends the audio source', async () => {
  const log: string[] = [];
  const { body } = await encodeSpeech(tone(100, log), WAV);
  for await (const _ of body) break;
  assert.deepEqual(log, ['ended']);
});
