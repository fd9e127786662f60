import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFile, inParts } from '../../../test/support/audio/encoded-files.ts';
import { tone } from '../../../test/support/audio/signals.ts';
import { encodeWavFile } from '../encode/wav.ts';
import { joinSamples } from '../pcm.ts';
import { decodeAudio } from './decode-audio.ts';
import { toMono } from './tracks.ts';

const wav = encodeWavFile({
  samples: tone({ frequencyHz: 440, sampleRateHz: 44100, seconds: 2 }),
  sampleRateHz: 44100,
});

test('bytes that are no audio are invalid_audio', async () => {
  const cases = ['', 'x', 'This is a text file with the name of a song.', 'PK\x03\x04', '\x1f\x8b\x08'];
  for (const text of cases) {
    await assert.rejects(decodeFile(Buffer.from(text, 'latin1')), { code: 'invalid_audio' }, text);
  }
});

test('the bound is on decoded sound', async () => {
  await decodeFile(wav, { maxSeconds: 2.01 });
  await assert.rejects(decodeFile(wav, { maxSeconds: 1.99 }), { code: 'audio_too_long' });
});

test('mono at 16 kHz has the length of the original, whatever its rate', async () => {
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

test('an aborted decode ends at once, even when the source never answers', async () => {
  const controller = new AbortController();
  async function* stalled() {
    yield wav.subarray(0, 100);
    await new Promise(() => undefined);
  }
  const decoding = decodeAudio(stalled(), { signal: controller.signal }).next();
  controller.abort(new Error('enough'));
  await assert.rejects(decoding, { message: 'enough' });
});

test('the source is told when a listener leaves, and its own failure comes through', async () => {
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

  async function* broken() {
    yield wav.subarray(0, 100_000);
    throw new Error('the upload broke off');
  }
  await assert.rejects(
    async () => {
      for await (const _ of decodeAudio(broken()));
    },
    { message: 'the upload broke off' },
  );
});
