import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodedFile, wavFile } from '../../../test/support/audio/encoded-files.ts';
import { ApiError } from '../../errors.ts';
import { decodeAudio } from './decode-audio.ts';

const RATE_HZ = 16_000;
const isTooCostly = (error: unknown) => error instanceof ApiError && error.code === 'audio_too_costly';

/** Decodes a file and returns the number of samples of all channels. */
async function decodedSamples(file: Uint8Array, maxSamples: number): Promise<number> {
  let samples = 0;
  const bytes = (async function* () {
    yield file;
  })();
  for await (const { channels } of decodeAudio(bytes, { maxSamples })) {
    samples += channels.length * channels[0]!.length;
  }
  return samples;
}

/** One second of 16-bit stereo, whose header may declare more. */
function stereoWav(declaredSeconds = 1): Uint8Array {
  const data = new Uint8Array(4 * RATE_HZ);
  const dataSize = declaredSeconds * data.length;
  return wavFile({ tag: 1, bitsPerSample: 16, channels: 2, sampleRateHz: RATE_HZ, data, dataSize });
}

test('audio within the limit is decoded; the samples of all channels count', async () => {
  assert.equal(await decodedSamples(stereoWav(), 2 * RATE_HZ), 2 * RATE_HZ);
  await assert.rejects(decodedSamples(stereoWav(), 2 * RATE_HZ - 1), isTooCostly);
});

test('a header that declares more samples than the limit is rejected', async () => {
  await assert.rejects(decodedSamples(stereoWav(60), 60 * RATE_HZ), isTooCostly);
});

test('a format without a declared duration is rejected at the limit', async () => {
  const file = await encodedFile('mp3', new Float32Array(441_000), 44_100);
  await assert.rejects(decodedSamples(file, RATE_HZ), isTooCostly);
});
