import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tone } from '../../../test/support/audio/signals.ts';
import { encodeWavFile, parseWav, readWav, WavEncoder } from './wav.ts';

const samples = tone({ frequencyHz: 440, sampleRateHz: 24000, seconds: 0.1 });

test('a streamed WAV is a 44-byte header with placeholder sizes, then samples', () => {
  const encoder = new WavEncoder(24000);
  const file = Buffer.concat([encoder.encode(samples), encoder.finish()]);
  assert.equal(file.length, 44 + 2 * samples.length);
  assert.equal(file.readUInt32LE(4), 4294967076);
  assert.equal(file.readUInt32LE(40), 4294967040);
  assert.deepEqual(parseWav(file), {
    sampleRateHz: 24000,
    channels: 1,
    bitsPerSample: 16,
    declaredDataBytes: 4294967040,
    dataOffset: 44,
    dataBytes: 2 * samples.length,
  });
});

test('a WAV file has its actual sizes and decodes to the samples', () => {
  const file = Buffer.from(encodeWavFile({ samples, sampleRateHz: 24000 }));
  assert.equal(file.readUInt32LE(4), file.length - 8);
  assert.equal(file.readUInt32LE(40), file.length - 44);
  const read = readWav(file);
  assert.equal(read.sampleRateHz, 24000);
  assert.equal(read.samples.length, samples.length);
  assert.ok(read.samples.every((sample, i) => Math.abs(sample - (samples[i] as number)) <= 0.5 / 32768));
});

test('chunks before the samples are skipped, with the padding byte of an odd size', () => {
  const file = Buffer.from(encodeWavFile({ samples, sampleRateHz: 24000 }));
  const odd = Buffer.from('LIST\x03\0\0\0abc\0', 'latin1');
  const widened = Buffer.concat([file.subarray(0, 12), odd, file.subarray(12)]);
  assert.deepEqual(readWav(widened).samples, readWav(file).samples);
});

test('files that are not WAV, truncated or of another format are rejected', () => {
  const file = encodeWavFile({ samples, sampleRateHz: 24000 });
  const stereo = file.slice();
  stereo[22] = 2;
  assert.throws(() => readWav(new Uint8Array(3)), /Not a WAV file/);
  assert.throws(() => readWav(file.subarray(0, 30)), /truncated/);
  assert.throws(() => readWav(file.subarray(0, 40)), /no samples chunk/);
  assert.throws(() => readWav(stereo), /Expected mono 16-bit WAV, got 2 channels/);
});
