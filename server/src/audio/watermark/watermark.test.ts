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
import { WatermarkDetector, type WatermarkFinding } from './watermark-detector.ts';
import { WATERMARK_NUMBERS, WatermarkPattern } from './watermark-pattern.ts';
import { Watermarker } from './watermarker.ts';

const RATE_HZ = 24_000;
const NUMBER = 0xbeef;
const pattern = new WatermarkPattern('a key');

/** Speech with breath in all bands, louder and softer. */
const voice = (seconds: number, sampleRateHz = RATE_HZ) => {
  const breath = noise(seconds * sampleRateHz, 0.1, 7);
  return speechLike(seconds * sampleRateHz, sampleRateHz).map(
    (sample, i) => sample + (breath[i] as number) * Math.sin((4 * i) / sampleRateHz) ** 2,
  );
};
const markedVoice = (seconds: number, sampleRateHz = RATE_HZ, number = NUMBER) =>
  runStage(new Watermarker({ pattern, number, sampleRateHz }), [voice(seconds, sampleRateHz)]);

function resampled(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  const resampler = new Resampler({ fromHz, toHz });
  return joinSamples([resampler.process(samples), resampler.flush()]);
}

function find(samples: Float32Array, fromHz = RATE_HZ, by = pattern): WatermarkFinding {
  const detector = new WatermarkDetector(by);
  for (const part of divideInto(resampled(samples, fromHz, DETECTION_RATE_HZ), [5000])) detector.push(part);
  return detector.finish();
}

/** Through a file of this format, and back to `RATE_HZ`. */
async function throughFile(
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

const ATTACKS: Readonly<Record<string, (marked: Float32Array) => Float32Array | Promise<Float32Array>>> = {
  'left as it is': (marked) => marked,
  'MP3 of 128 kbit/s': (marked) => throughFile(marked, { format: 'mp3', rateHz: 44_100 }),
  'MP3 of 64 kbit/s': (marked) => throughFile(marked, { format: 'mp3', rateHz: 32_000, kbps: 64 }),
  'Opus of 32 kbit/s': (marked) => throughFile(marked, { format: 'opus', rateHz: 48_000 }),
  'resampled to 16 kHz and back': (marked) => resampled(resampled(marked, RATE_HZ, 16_000), 16_000, RATE_HZ),
  'resampled to 44.1 kHz and back': (marked) =>
    resampled(resampled(marked, RATE_HZ, 44_100), 44_100, RATE_HZ),
  'a quarter as loud': (marked) => marked.map((sample) => 0.25 * sample),
  'its first 1.7 seconds cut off': (marked) => marked.subarray(1.7 * RATE_HZ),
  'five seconds from the middle': (marked) => marked.subarray(3.3 * RATE_HZ, 8.3 * RATE_HZ),
};

const marked = markedVoice(12);
for (const [name, attack] of Object.entries(ATTACKS)) {
  test(`a mark and its number outlive: ${name}`, async () => {
    const { isMarked, number, score } = find(await attack(marked));
    assert.deepEqual([isMarked, number], [true, NUMBER], `score ${score}`);
  });
}

for (const rateHz of [16_000, 22_050, 44_100, 48_000]) {
  test(`speech at ${rateHz} Hz is marked so that it is found`, () => {
    const { isMarked, number } = find(markedVoice(10, rateHz), rateHz);
    assert.deepEqual([isMarked, number], [true, NUMBER]);
  });
}

test('any number is read back', () => {
  for (const number of [0, 1, 0x1000, WATERMARK_NUMBERS - 1]) {
    assert.equal(find(markedVoice(10, RATE_HZ, number)).number, number);
  }
});

test('what is not marked, or by another key, is not found', () => {
  const other = markedVoice(12);
  const steady = tone({ frequencyHz: 2000, sampleRateHz: RATE_HZ, seconds: 5 });
  for (let key = 0; key < 12; key++) {
    const found = find(other, RATE_HZ, new WatermarkPattern(`key ${key}`));
    assert.ok(!found.isMarked, `key ${key}: ${found.score}`);
  }
  for (const sound of [voice(12), new Float32Array(0), new Float32Array(RATE_HZ), steady]) {
    assert.ok(!find(sound).isMarked);
  }
});

test('a mark is found where it is in a longer recording', () => {
  const found = find(joinSamples([voice(30), markedVoice(15), voice(30)]));
  assert.ok(found.isMarked, `score ${found.score}`);
  assert.ok(found.startSeconds >= 19 && found.endSeconds <= 56, `${found.startSeconds}…${found.endSeconds}`);
  assert.equal(found.number, NUMBER);
});

test('the mark is 25 dB below the speech, adds nothing to silence and leaves the level as it is', () => {
  const plain = voice(12);
  const difference = marked.map((sample, i) => sample - (plain[i] as number));
  assert.ok(rms(difference) < rms(plain) * 10 ** (-25 / 20));
  assert.ok(Math.abs(20 * Math.log10(rms(marked) / rms(plain))) < 0.05);
  const silence = new Float32Array(RATE_HZ);
  const marker = new Watermarker({ pattern, number: 1, sampleRateHz: RATE_HZ });
  assert.deepEqual(runStage(marker, [silence]), silence);
});

test('pieces of any size are marked alike, and nothing is lost', () => {
  const plain = voice(1);
  const mark = { pattern, number: NUMBER, sampleRateHz: RATE_HZ };
  const whole = runStage(new Watermarker(mark), [plain]);
  assert.equal(whole.length, plain.length);
  fc.assert(
    fc.property(chunkSizes, (sizes) => {
      assert.deepEqual(runStage(new Watermarker(mark), divideInto(plain, sizes)), whole);
    }),
    { numRuns: 20 },
  );
  for (const length of [0, 1, 300]) {
    const short = plain.subarray(0, length);
    assert.equal(runStage(new Watermarker(mark), [short]).length, length);
  }
});
