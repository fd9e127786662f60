import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFile } from '../../../test/support/audio/encoded-files.ts';
import { noise, rms, speechLike } from '../../../test/support/audio/signals.ts';
import { joinBytes } from '../bytes.ts';
import { Lame, type LameOptions, openLameStreams } from './lame.ts';

const RATES_HZ = [48000, 44100, 32000, 24000, 22050] as const;
const BITRATES_KBPS = [32, 48, 64, 128, 192] as const;
/** The delays of encoder and decoder. */
const CODEC_DELAY_SAMPLES = 576 + 529;

/** Encodes samples in blocks of the given lengths, in turn. */
function encode(samples: Float32Array, options: LameOptions, blockLengths: readonly number[]): Uint8Array {
  const lame = new Lame(options);
  const parts: Uint8Array[] = [];
  for (let offset = 0, i = 0; offset < samples.length; i++) {
    const end = offset + blockLengths[i % blockLengths.length]!;
    parts.push(lame.encode(samples.subarray(offset, end)));
    offset = end;
  }
  parts.push(lame.finish());
  lame.close();
  return joinBytes(parts);
}

for (const sampleRateHz of RATES_HZ) {
  test(`${sampleRateHz} Hz: files have the bitrate and the duration, and decode to the samples`, async () => {
    const samples = speechLike(sampleRateHz, sampleRateHz);
    const bitrateMaxKbps = sampleRateHz > 24000 ? 192 : 64;
    for (const bitrateKbps of BITRATES_KBPS.filter((kbps) => kbps <= bitrateMaxKbps)) {
      const file = encode(samples, { sampleRateHz, bitrateKbps }, [9000]);
      const expectedBytes = (bitrateKbps * 1000) / 8;
      assert.ok(Math.abs(file.length - expectedBytes) < 0.12 * expectedBytes, `${file.length} bytes`);
      const decoded = await decodeFile(file, { ffmpegPath: '' });
      assert.equal(decoded.sampleRateHz, sampleRateHz);
      const channel = decoded.channels[0]!;
      assert.ok(channel.length >= samples.length + CODEC_DELAY_SAMPLES);
      if (bitrateKbps < 64) continue;
      const error = samples.map((sample, i) => sample - channel[i + CODEC_DELAY_SAMPLES]!);
      assert.ok(rms(error) < 0.15 * rms(samples), `${bitrateKbps} kbps: ${rms(error) / rms(samples)}`);
    }
  });
}

test('the bytes do not depend on the lengths of the blocks, nor on other streams', () => {
  const samples = speechLike(50_000, 44100);
  for (const bitrateKbps of [64, 128] as const) {
    const options = { sampleRateHz: 44100, bitrateKbps } as const;
    const whole = encode(samples, options, [samples.length]);
    const other = new Lame({ sampleRateHz: 32000, bitrateKbps: 192 });
    for (const lengths of [[1152], [1, 4000, 577, 20_000], [441]]) {
      other.encode(noise(3000, 0.9));
      assert.deepEqual(encode(samples, options, lengths), whole);
    }
    other.close();
  }
});

test('many streams at once keep apart, and their memory is released', () => {
  const options = { sampleRateHz: 44100, bitrateKbps: 128 } as const;
  const inputs = Array.from({ length: 60 }, (_, i) =>
    speechLike(12_000, 44100).map((x) => (x * (i + 1)) / 60),
  );
  const streams = inputs.map(() => ({ lame: new Lame(options), parts: [] as Uint8Array[] }));
  const peak = openLameStreams();
  assert.equal(peak.streams, 60);
  assert.ok(peak.memoryBytes < 60 * 200_000, `${peak.memoryBytes} bytes`);
  for (let offset = 0; offset < 12_000; offset += 3000) {
    for (const [i, { lame, parts }] of streams.entries()) {
      parts.push(lame.encode(inputs[i]!.subarray(offset, offset + 3000)));
    }
  }
  for (const [i, { lame, parts }] of streams.entries()) {
    parts.push(lame.finish());
    lame.close();
    if (i % 20 === 0) assert.deepEqual(joinBytes(parts), encode(inputs[i]!, options, [12_000]));
  }
  assert.deepEqual(openLameStreams(), { streams: 0, memoryBytes: 0 });
  encode(inputs[0]!, options, [12_000]);
  assert.ok(openLameStreams().memoryBytes < 1_000_000);
});

for (const [name, value] of [
  ['NaN', Number.NaN],
  ['infinity', Number.POSITIVE_INFINITY],
  ['negative infinity', Number.NEGATIVE_INFINITY],
  ['numbers far out of range', 1e30],
  ['the smallest numbers', 1e-45],
] as const) {
  test(`${name} in the input leaves the stream valid, and other streams unchanged`, async () => {
    const options = { sampleRateHz: 44100, bitrateKbps: 128 } as const;
    const clean = speechLike(30_000, 44100);
    const expected = encode(clean, options, [30_000]);
    const other = new Lame(options);
    const otherParts = [other.encode(clean.subarray(0, 15_000))];
    for (const period of [1, 7, 5000]) {
      const samples = clean.map((sample, i) =>
        i >= 10_000 && i < 20_000 && i % period === 0 ? value : sample,
      );
      const { channels } = await decodeFile(encode(samples, options, [4000]), { ffmpegPath: '' });
      assert.ok(channels[0]!.length >= samples.length);
      assert.ok(channels[0]!.every(Number.isFinite));
    }
    otherParts.push(other.encode(clean.subarray(15_000)), other.finish());
    other.close();
    assert.deepEqual(joinBytes(otherParts), expected);
    assert.deepEqual(encode(clean, options, [30_000]), expected);
  });
}

test('a closed stream cannot be used', () => {
  const lame = new Lame({ sampleRateHz: 44100, bitrateKbps: 128 });
  lame.close();
  lame.close();
  assert.throws(() => lame.encode(new Float32Array(10)), /closed/);
  assert.throws(() => lame.finish(), /closed/);
});

test('an invalid configuration is refused', () => {
  const options = { sampleRateHz: 44000, bitrateKbps: 128 } as unknown as LameOptions;
  assert.throws(() => new Lame(options), /cannot open/);
  assert.equal(openLameStreams().streams, 0);
});
