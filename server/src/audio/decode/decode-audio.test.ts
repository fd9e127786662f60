import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFile, inParts } from '../../../test/support/audio/encoded-files.ts';
import { tone } from '../../../test/support/audio/signals.ts';
import { encodeWavFile } from '../encode/wav.ts';
import { joinSamples } from '../pcm.ts';
import { decodeAudio } from './decode-audio.ts';
import { toMono } from './mix-and-resample.ts';

const wav = encodeWavFile({
  samples: tone({ frequencyHz: 440, sampleRateHz: 44100, seconds: 2 }),
  sampleRateHz: 44100,
});

test('bytes that are not audio are rejected with invalid_audio', async () => {
  const cases = ['', 'x', 'This is a text file with the name of a song.', 'PK\x03\x04', '\x1f\x8b\x08'];
  for (const text of cases) {
    await assert.rejects(decodeFile(Buffer.from(text, 'latin1')), { code: 'invalid_audio' }, text);
  }
});

test('the maximum duration applies to the decoded audio', async () => {
  await decodeFile(wav, { maxSeconds: 2.01 });
  await assert.rejects(decodeFile(wav, { maxSeconds: 1.99 }), { code: 'audio_too_long' });
});

test('mono at 16 kHz has the duration of the original at any sample rate', async () => {
  for (const sampleRateHz of [8000, 11025, 16000, 22051, 44100, 96000, 191_999]) {
    const samples = tone({ frequencyHz: 440, sampleRateHz, seconds: 1 });
    const parts: Float32Array[] = [];
    const file = encodeWavFile({ samples, sampleRateHz });
    for await (const part of toMono(decodeAudio(inParts(file)), 16000)) parts.push(part.slice());
    const mono = joinSamples(parts);
    assert.ok(Math.abs(mono.length - 16000) <= 8, `${sampleRateHz}: ${mono.length}`);
    assert.ok(Math.abs(Math.max(...mono.subarray(1000, 15000)) - 0.5) < 0.01, `${sampleRateHz}`);
  }
});

test('an abort ends decoding at once, even when the source never settles', async () => {
  const controller = new AbortController();
  async function* stalled() {
    yield wav.subarray(0, 100);
    await new Promise(() => undefined);
  }
  const decoding = decodeAudio(stalled(), { signal: controller.signal }).next();
  controller.abort(new Error('aborted by the test'));
  await assert.rejects(decoding, { message: 'aborted by the test' });
});

test('the source is cancelled when the consumer stops, and its own error is rethrown', async () => {
  let isClosed = false;
  async function* source() {
    try {
      yield* inParts(wav);
    } finally {
      isClosed = true;
    }
  }
  for await (const _ of decodeAudio(source())) break;
  assert.ok(isClosed);

  async function* failing() {
    yield wav.subarray(0, 100_000);
    throw new Error('the upload was interrupted');
  }
  await assert.rejects(
    async () => {
      for await (const _ of decodeAudio(failing()));
    },
    { message: 'the upload was interrupted' },
  );
});
