import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFileWithFfmpeg, hasFfmpeg } from '../../../test/support/audio/ffmpeg.ts';
import { bestLag, noise, rms, speechLike, tone } from '../../../test/support/audio/signals.ts';
import { decodeAudio } from '../decode/decode-audio.ts';
import { joinSamples } from '../pcm.ts';
import { openLameStreams } from './lame.ts';
import { createMp3Encoder, type Mp3BitrateKbps } from './mp3-encoder.ts';
import { MP3_FRAME_SAMPLES, MP3_MAX_RESERVOIR_BYTES, Mp3FrameSplitter, parseMp3Frame } from './mp3-frame.ts';

const RATES_HZ = [44100, 32000] as const;
const BITRATES_KBPS: readonly Mp3BitrateKbps[] = [64, 128, 192];

const SIGNALS: Readonly<Record<string, (length: number, sampleRateHz: number) => Float32Array>> = {
  speech: speechLike,
  'digital silence': (length) => new Float32Array(length),
  'noise at full level': (length) => noise(length, 0.95),
  'faint noise': (length) => noise(length, 0.0005),
  'a tone from the first sample': (length, sampleRateHz) =>
    tone({ frequencyHz: 700, sampleRateHz, seconds: length / sampleRateHz, amplitude: 0.8 }),
  'silence, then noise': (length, sampleRateHz) => noise(length, 0.8).fill(0, 0, 0.05 * sampleRateHz),
};

function encode(samples: Float32Array, sampleRateHz: 44100 | 32000, bitrateKbps: Mp3BitrateKbps) {
  const encoder = createMp3Encoder({ sampleRateHz, bitrateKbps });
  const file = Buffer.concat([encoder.encode(samples), encoder.finish()]);
  return { file, frames: new Mp3FrameSplitter().push(file) };
}

for (const [sampleRateHz, bitrateKbps] of [
  [22_050, 32],
  [24_000, 48],
  [24_000, 128],
] as const) {
  test(`MPEG-2 at ${sampleRateHz} Hz and ${bitrateKbps} kbps decodes to the signal after the codec delay`, async () => {
    const seconds = 2;
    const samples = tone({ frequencyHz: 700, sampleRateHz, seconds, amplitude: 0.5 });
    const encoder = createMp3Encoder({ sampleRateHz, bitrateKbps });
    const file = Buffer.concat([
      encoder.encode(samples.subarray(0, 30_000)),
      encoder.encode(samples.subarray(30_000)),
      encoder.finish(),
    ]);
    const limitedKbps = Math.min(bitrateKbps, 64);
    assert.ok(
      Math.abs(file.length - (seconds * limitedKbps * 1000) / 8) < 0.1 * file.length,
      `${file.length} bytes`,
    );
    const parts: Float32Array[] = [];
    for await (const chunk of decodeAudio(toStream(file), { maxSeconds: 10, ffmpegPath: '' })) {
      assert.equal(chunk.sampleRateHz, sampleRateHz);
      parts.push(chunk.channels[0]!.slice());
    }
    const decoded = joinSamples(parts);
    assert.ok(decoded.length >= samples.length && decoded.length < samples.length + 0.2 * sampleRateHz);
    assert.ok(Math.abs(rms(decoded) - rms(samples)) < 0.05, `${rms(decoded)}`);
  });
}

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

for (const [name, signal] of Object.entries(SIGNALS)) {
  test(`${name}: every frame is complete and its main data is within reach`, () => {
    for (const sampleRateHz of RATES_HZ) {
      for (const bitrateKbps of BITRATES_KBPS) {
        const { file, frames } = encode(signal(sampleRateHz, sampleRateHz), sampleRateHz, bitrateKbps);
        assert.equal(frames.length, Math.ceil(sampleRateHz / MP3_FRAME_SAMPLES));
        assert.equal(
          frames.reduce((sum, frame) => sum + frame.length, 0),
          file.length,
        );
        assertMainDataIsValid(frames);
      }
    }
  });
}

/** The main data of the frames is in order, without overlap, within the bit reservoir, and ends in its own frame. */
function assertMainDataIsValid(frames: readonly Uint8Array[]): void {
  let areaStart = 0;
  let usedTo = 0;
  for (const frame of frames) {
    const { mainDataBegin, mainDataBytes } = parseMp3Frame(frame);
    const start = areaStart - mainDataBegin;
    areaStart += frame.length - 21;
    assert.ok(start >= usedTo, 'no overlap, and nothing before the first frame');
    assert.ok(mainDataBegin <= MP3_MAX_RESERVOIR_BYTES);
    assert.ok(start + mainDataBytes <= areaStart, 'data ends in its own frame');
    usedTo = start + mainDataBytes;
  }
}

test('every frame of speech has the requested bitrate', () => {
  for (const sampleRateHz of RATES_HZ) {
    for (const bitrateKbps of BITRATES_KBPS) {
      const { frames } = encode(speechLike(2 * sampleRateHz, sampleRateHz), sampleRateHz, bitrateKbps);
      for (const frame of frames) {
        const parsed = parseMp3Frame(frame);
        assert.deepEqual([parsed.bitrateKbps, parsed.sampleRateHz], [bitrateKbps, sampleRateHz]);
      }
    }
  }
});

test('the first decoded sample is the first input sample, and the error is small', () => {
  for (const sampleRateHz of RATES_HZ) {
    const samples = speechLike(sampleRateHz >> 1, sampleRateHz);
    const { file, frames } = encode(samples, sampleRateHz, 128);
    assert.equal(frames.length, Math.ceil(samples.length / MP3_FRAME_SAMPLES));
    if (!hasFfmpeg) continue;
    const decoded = decodeFileWithFfmpeg(file);
    assert.equal(decoded.length, frames.length * MP3_FRAME_SAMPLES);
    assert.equal(bestLag(samples.subarray(0, 9000), decoded, 40), 0);
    const error = samples.map((sample, i) => sample - (decoded[i] as number));
    assert.ok(rms(error) < 0.1 * rms(samples), `error ${rms(error) / rms(samples)}`);
  }
});

test('a stream releases its memory at its end and when it is abandoned, and leaves no state', () => {
  const samples = noise(30000, 0.3);
  const before = encode(samples, 44100, 128);
  assert.equal(openLameStreams().streams, 0);
  const abandoned = createMp3Encoder({ sampleRateHz: 32000, bitrateKbps: 192 });
  abandoned.encode(speechLike(5000, 32000));
  assert.ok(openLameStreams().streams > 0);
  abandoned.dispose();
  abandoned.dispose();
  assert.equal(openLameStreams().streams, 0);
  const after = encode(samples, 44100, 128);
  assert.ok(before.file.equals(after.file));
  assert.equal(openLameStreams().streams, 0);
});
