import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  chunkSizes,
  divideInto,
  noise,
  rms,
  runStage,
  speechLike,
  tone,
} from '../../../test/support/audio/signals.ts';
import { decodeAudio } from '../decode/decode-audio.ts';
import { toMono } from '../decode/mix-and-resample.ts';
import { Resampler } from '../dsp/resampler.ts';
import { createEncoder } from '../encode/create-encoder.ts';
import type { AudioFormat } from '../formats.ts';
import { joinSamples } from '../pcm.ts';
import { DETECTION_RATE_HZ } from './chip-meter.ts';
import { type WatermarkDetection, WatermarkDetector } from './watermark-detector.ts';
import { WatermarkEmbedder } from './watermark-embedder.ts';
import { WATERMARK_COUNT, WatermarkPattern } from './watermark-pattern.ts';

const RATE_HZ = 24_000;
const NUMBER = 0xbeef;
const pattern = new WatermarkPattern('a key');

const voices = new Map<string, Float32Array>();

/** Speech-like audio with aspiration noise in all bands at varying levels. It is made once. */
function voice(seconds: number, sampleRateHz = RATE_HZ): Float32Array {
  const name = `${seconds} ${sampleRateHz}`;
  const made = voices.get(name) ?? makeVoice(seconds, sampleRateHz);
  voices.set(name, made);
  return made;
}

const makeVoice = (seconds: number, sampleRateHz: number) => {
  const aspiration = noise(seconds * sampleRateHz, 0.1, 7);
  return speechLike(seconds * sampleRateHz, sampleRateHz).map(
    (sample, i) => sample + (aspiration[i] as number) * Math.sin((4 * i) / sampleRateHz) ** 2,
  );
};
const watermarkedVoice = (seconds: number, sampleRateHz = RATE_HZ, number = NUMBER) =>
  runStage(new WatermarkEmbedder({ pattern, number, sampleRateHz }), [voice(seconds, sampleRateHz)]);

function resampled(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  const resampler = new Resampler({ fromHz, toHz });
  return joinSamples([resampler.process(samples), resampler.flush()]);
}

function detect(samples: Float32Array, fromHz = RATE_HZ, by = pattern): WatermarkDetection {
  const detector = new WatermarkDetector(by);
  const received = fromHz === DETECTION_RATE_HZ ? samples : resampled(samples, fromHz, DETECTION_RATE_HZ);
  for (const part of divideInto(received, [5000])) detector.push(part);
  return detector.finish();
}

/** Encodes to a file of this format and decodes to `RATE_HZ`. */
async function encodeAndDecode(
  samples: Float32Array,
  file: { readonly format: AudioFormat; readonly rateHz: number; readonly kbps?: 64 | 128 },
): Promise<Float32Array> {
  const { format, rateHz: sampleRateHz, kbps = 128 } = file;
  const options = { format, sampleRateHz, mp3BitrateKbps: kbps, opusBitrateBps: 32_000 };
  const encoder = await createEncoder(options);
  const bytes = [encoder.encode(resampled(samples, RATE_HZ, sampleRateHz)).slice(), encoder.finish().slice()];
  const parts: Float32Array[] = [];
  for await (const part of toMono(decodeAudio(ReadableStream.from(bytes)), RATE_HZ)) parts.push(part.slice());
  return joinSamples(parts);
}

type Attack = (watermarked: Float32Array) => Float32Array | Promise<Float32Array>;

const ATTACKS: Readonly<Record<string, Attack>> = {
  unchanged: (watermarked) => watermarked,
  'MP3 of 128 kbit/s': (watermarked) => encodeAndDecode(watermarked, { format: 'mp3', rateHz: 44_100 }),
  'MP3 of 64 kbit/s': (watermarked) =>
    encodeAndDecode(watermarked, { format: 'mp3', rateHz: 32_000, kbps: 64 }),
  'Opus of 32 kbit/s': (watermarked) => encodeAndDecode(watermarked, { format: 'opus', rateHz: 48_000 }),
  'resampled to 16 kHz and back': (watermarked) =>
    resampled(resampled(watermarked, RATE_HZ, 16_000), 16_000, RATE_HZ),
  'resampled to 44.1 kHz and back': (watermarked) =>
    resampled(resampled(watermarked, RATE_HZ, 44_100), 44_100, RATE_HZ),
  'attenuated by 12 dB': (watermarked) => watermarked.map((sample) => 0.25 * sample),
  'the first 1.7 seconds removed': (watermarked) => watermarked.subarray(1.7 * RATE_HZ),
  'five seconds from the middle': (watermarked) => watermarked.subarray(3.3 * RATE_HZ, 8.3 * RATE_HZ),
};

const watermarked = watermarkedVoice(12);
for (const [name, attack] of Object.entries(ATTACKS)) {
  test(`a watermark and its number survive: ${name}`, async () => {
    const { isWatermarked, number, score } = detect(await attack(watermarked));
    assert.deepEqual([isWatermarked, number], [true, NUMBER], `score ${score}`);
  });
}

for (const rateHz of [16_000, 22_050, 44_100, 48_000]) {
  test(`a watermark in speech at ${rateHz} Hz is detected`, () => {
    const { isWatermarked, number } = detect(watermarkedVoice(10, rateHz), rateHz);
    assert.deepEqual([isWatermarked, number], [true, NUMBER]);
  });
}

test('any watermark number is decoded', () => {
  for (const number of [0, 1, 0x1000, WATERMARK_COUNT - 1]) {
    assert.equal(detect(watermarkedVoice(10, RATE_HZ, number)).number, number);
  }
});

test('audio without a watermark, or with one of another key, is not detected', () => {
  const other = resampled(watermarked, RATE_HZ, DETECTION_RATE_HZ);
  const steady = tone({ frequencyHz: 2000, sampleRateHz: RATE_HZ, seconds: 5 });
  for (let key = 0; key < 12; key++) {
    const detection = detect(other, DETECTION_RATE_HZ, new WatermarkPattern(`key ${key}`));
    assert.ok(!detection.isWatermarked, `key ${key}: ${detection.score}`);
  }
  for (const audio of [voice(12), new Float32Array(0), new Float32Array(RATE_HZ), steady]) {
    assert.ok(!detect(audio).isWatermarked);
  }
});

test('a watermark is located in a longer recording', () => {
  const detection = detect(joinSamples([voice(25), watermarked, voice(25)]));
  assert.ok(detection.isWatermarked, `score ${detection.score}`);
  assert.ok(
    detection.startSeconds >= 14 && detection.endSeconds <= 48,
    `${detection.startSeconds}…${detection.endSeconds}`,
  );
  assert.equal(detection.number, NUMBER);
});

test('the watermark is 25 dB below the speech, adds nothing to silence and does not change the level', () => {
  const plain = voice(12);
  const difference = watermarked.map((sample, i) => sample - (plain[i] as number));
  assert.ok(rms(difference) < rms(plain) * 10 ** (-25 / 20));
  assert.ok(Math.abs(20 * Math.log10(rms(watermarked) / rms(plain))) < 0.05);
  const silence = new Float32Array(RATE_HZ);
  const embedder = new WatermarkEmbedder({ pattern, number: 1, sampleRateHz: RATE_HZ });
  assert.deepEqual(runStage(embedder, [silence]), silence);
});

test('the output does not depend on how the input is divided, and has its length', () => {
  const plain = voice(1);
  const options = { pattern, number: NUMBER, sampleRateHz: RATE_HZ };
  const whole = runStage(new WatermarkEmbedder(options), [plain]);
  assert.equal(whole.length, plain.length);
  fc.assert(
    fc.property(chunkSizes, (sizes) => {
      assert.deepEqual(runStage(new WatermarkEmbedder(options), divideInto(plain, sizes)), whole);
    }),
    { numRuns: 20 },
  );
  for (const length of [0, 1, 300]) {
    const short = plain.subarray(0, length);
    assert.equal(runStage(new WatermarkEmbedder(options), [short]).length, length);
  }
});
