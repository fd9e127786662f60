import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countSamples, decodeWithLibflac } from '../../../test/support/audio/decoders.ts';
import { decodeFileWithFfmpeg, hasFfmpeg } from '../../../test/support/audio/ffmpeg.ts';
import { chunkSizes, divideInto, speechLike } from '../../../test/support/audio/signals.ts';
import { AUDIO_FORMATS, type AudioFormat, defaultSampleRateHz, FORMATS } from '../formats.ts';
import { sniffAudio } from '../sniff.ts';
import { createEncoder } from './create-encoder.ts';

function open(format: AudioFormat, sampleRateHz = defaultSampleRateHz(format)) {
  return createEncoder({ format, sampleRateHz, mp3BitrateKbps: 128, opusBitrateBps: 32000 });
}

async function encode(format: AudioFormat, parts: readonly Float32Array[], sampleRateHz?: number) {
  const encoder = await open(format, sampleRateHz);
  return Buffer.concat([...parts.map((part) => encoder.encode(part)), encoder.finish()]);
}

/** Maximum padding at the end of a file. Two MP3 frames are the shortest file that players accept. */
function maxPaddingSamples(format: AudioFormat, length: number): number {
  if (format !== 'mp3') return 0;
  return length > 1152 ? 1151 : 2304 - length;
}

for (const format of AUDIO_FORMATS) {
  test(`${format}: the file has the duration of the input, from 0 samples to seconds`, async () => {
    for (const sampleRateHz of FORMATS[format].sampleRatesHz) {
      const longest = Math.round(3.7 * sampleRateHz);
      for (const length of [0, 1, 100, Math.round(0.5 * sampleRateHz), longest]) {
        const file = await encode(format, [speechLike(length, sampleRateHz)], sampleRateHz);
        const about = `${format} ${sampleRateHz} Hz, ${length} samples`;
        const extra = (await countSamples(file, FORMATS[format].fileExtension)) - length;
        assert.ok(extra >= 0 && extra <= maxPaddingSamples(format, length), `${about}: ${extra} too many`);
        // Starting FFmpeg per file is slow, so it checks a short and a long file of the default rate only.
        if (!hasFfmpeg || sampleRateHz !== defaultSampleRateHz(format)) continue;
        if (length !== 1 && length !== longest) continue;
        const options = format === 'pcm' ? ['-f', 's16le', '-ar', `${sampleRateHz}`, '-ac', '1'] : [];
        assert.equal(
          decodeFileWithFfmpeg(file, options).length,
          length + extra,
          `${about}, decoded by FFmpeg`,
        );
      }
    }
  });

  test(`${format}: the bytes do not depend on how the samples are divided`, async () => {
    const sampleRateHz = defaultSampleRateHz(format);
    const samples = speechLike(sampleRateHz, sampleRateHz);
    const whole = await encode(format, [samples]);
    await fc.assert(
      fc.asyncProperty(chunkSizes, async (sizes) => {
        assert.ok(whole.equals(await encode(format, divideInto(samples, sizes))));
      }),
      { numRuns: 4 },
    );
  });

  test(`${format}: the format is detected from the first bytes`, async () => {
    const file = await encode(format, [speechLike(9000, 44100)]);
    const expected = { mp3: 'mp3', wav: 'wav', pcm: undefined, opus: 'ogg/opus', flac: 'flac' }[format];
    assert.equal(sniffAudio(file), expected);
  });

  test(`${format}: the encoder has the content type of the format and throws after the end`, async () => {
    const encoder = await open(format);
    assert.equal(encoder.contentType, FORMATS[format].contentType);
    assert.equal(encoder.fileExtension, FORMATS[format].fileExtension);
    encoder.finish();
    encoder.dispose();
    assert.throws(() => encoder.encode(new Float32Array(1)), /has ended/);
    assert.throws(() => encoder.finish(), /has ended/);
  });

  test(`${format}: a stream can be disposed before its end`, async () => {
    const encoder = await open(format);
    encoder.encode(speechLike(30000, 44100));
    encoder.dispose();
    encoder.dispose();
    assert.throws(() => encoder.encode(new Float32Array(1)), /has ended/);
  });

  test(`${format}: memory is released after 120 streams, half of them abandoned`, async () => {
    const samples = speechLike(4000, 44100);
    const run = async (count: number) => {
      for (let i = 0; i < count; i++) {
        const encoder = await open(format);
        encoder.encode(samples);
        if (i % 2 === 0) encoder.finish();
        encoder.dispose();
      }
    };
    await run(20);
    const before = process.memoryUsage().rss;
    await run(120);
    const grownBytes = process.memoryUsage().rss - before;
    assert.ok(grownBytes < 48 * 2 ** 20, `grew by ${grownBytes} bytes`);
  });
}

test('flac: lossless at 16 bits', async () => {
  const samples = speechLike(20000, 24000);
  const decoded = decodeWithLibflac(await encode('flac', [samples], 24000));
  assert.ok(decoded.every((sample, i) => Math.abs(sample - (samples[i] as number)) <= 0.5 / 32768));
});

test('an unsupported sample rate is rejected with the list of supported rates', async () => {
  await assert.rejects(open('mp3', 11025), {
    name: 'RangeError',
    message: 'Invalid sample rate 11025 for format audio/mpeg. Supported: 44100, 32000.',
  });
});
