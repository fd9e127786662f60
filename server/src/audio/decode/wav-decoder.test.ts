import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { decodeFile, type WavParts, wavFile } from '../../../test/support/audio/encoded-files.ts';
import { hasFfmpeg } from '../../../test/support/audio/ffmpeg.ts';
import { tone } from '../../../test/support/audio/signals.ts';
import { toInt16 } from '../encode/pcm16.ts';
import { encodeWavFile, STREAMED_DATA_SIZE, WavEncoder } from '../encode/wav.ts';
import { MAX_CHUNK_FRAMES } from './decoded-audio.ts';

const samples = tone({ frequencyHz: 440, sampleRateHz: 16000, seconds: 0.1 });

function encodeSamples(
  count: number,
  bytes: number,
  write: (data: Buffer, at: number, sample: number) => void,
) {
  const data = Buffer.alloc(count * bytes);
  for (let i = 0; i < count; i++) write(data, i * bytes, samples[i] as number);
  return data;
}

test('all sample widths decode to the original values', async () => {
  const count = samples.length;
  const cases: readonly (readonly [string, WavParts, number])[] = [
    [
      '8 bits unsigned',
      {
        tag: 1,
        bitsPerSample: 8,
        data: encodeSamples(count, 1, (data, at, x) => data.writeUInt8(Math.round(128 + 127 * x), at)),
      },
      0.01,
    ],
    [
      '16 bits',
      {
        tag: 1,
        bitsPerSample: 16,
        data: encodeSamples(count, 2, (data, at, x) => data.writeInt16LE(Math.round(32767 * x), at)),
      },
      1e-4,
    ],
    [
      '24 bits',
      {
        tag: 1,
        bitsPerSample: 24,
        data: encodeSamples(count, 3, (data, at, x) => data.writeIntLE(Math.round(8388607 * x), at, 3)),
      },
      1e-6,
    ],
    [
      '32 bits',
      {
        tag: 1,
        bitsPerSample: 32,
        data: encodeSamples(count, 4, (data, at, x) => data.writeInt32LE(Math.round(2147483647 * x), at)),
      },
      1e-6,
    ],
    [
      'float',
      { tag: 3, bitsPerSample: 32, data: encodeSamples(count, 4, (data, at, x) => data.writeFloatLE(x, at)) },
      0,
    ],
    [
      'double',
      {
        tag: 3,
        bitsPerSample: 64,
        data: encodeSamples(count, 8, (data, at, x) => data.writeDoubleLE(x, at)),
      },
      1e-7,
    ],
  ];
  for (const [name, parts, tolerance] of cases) {
    for (const isExtensible of [false, true]) {
      const decoded = await decodeFile(wavFile({ ...parts, isExtensible }));
      assert.equal(decoded.sampleRateHz, 16000, name);
      assert.equal(decoded.channels[0]?.length, count, name);
      for (let i = 0; i < count; i++) {
        const error = Math.abs((decoded.channels[0]?.[i] as number) - (samples[i] as number));
        assert.ok(error <= tolerance, `${name}: ${error} at ${i}`);
      }
    }
  }
});

test('A-law and µ-law follow G.711', async () => {
  const codes = Uint8Array.from({ length: 256 }, (_, code) => code);
  for (const [tag, coder] of [
    [6, 'alaw'],
    [7, 'mulaw'],
  ] as const) {
    const [decoded] = (await decodeFile(wavFile({ tag, bitsPerSample: 8, data: codes }))).channels;
    assert.equal(new Set(decoded).size, tag === 6 ? 256 : 255);
    assert.equal(Math.round(32768 * Math.max(...(decoded as Float32Array))), tag === 6 ? 32256 : 32124);
    if (!hasFfmpeg) continue;
    const run = spawnSync('ffmpeg', ['-v', 'error', '-f', coder, '-i', '-', '-f', 's16le', '-'], {
      input: codes,
    });
    const expected = new Int16Array(new Uint8Array(run.stdout).buffer);
    assert.deepEqual(toInt16(decoded as Float32Array), expected);
  }
});

test('channels are separated, and other chunks are skipped', async () => {
  const data = Buffer.alloc(4 * 100);
  for (let i = 0; i < 100; i++) {
    data.writeInt16LE(1000, 4 * i);
    data.writeInt16LE(-2000, 4 * i + 2);
  }
  const file = wavFile({
    tag: 1,
    bitsPerSample: 16,
    channels: 2,
    sampleRateHz: 44100,
    data,
    extraChunk: Buffer.alloc(99_999),
  });
  const { channels, sampleRateHz } = await decodeFile(file);
  assert.equal(sampleRateHz, 44100);
  assert.deepEqual(
    channels.map((channel) => [channel.length, channel[50]]),
    [
      [100, Math.fround(1000 / 32768)],
      [100, Math.fround(-2000 / 32768)],
    ],
  );
});

test('a streamed file, RF64 and a header that declares hours give the samples that are present', async () => {
  const data = new Uint8Array(encodeWavFile({ samples, sampleRateHz: 16000 }).subarray(44));
  const encoder = new WavEncoder(16000);
  const files = [
    Buffer.concat([encoder.encode(samples), encoder.finish()]),
    wavFile({ tag: 1, bitsPerSample: 16, data, dataSize: STREAMED_DATA_SIZE }),
    wavFile({ tag: 1, bitsPerSample: 16, data, dataSize: 0 }),
    wavFile({ tag: 1, bitsPerSample: 16, data, dataSize: 0xffff_ffff, riffId: 'RF64' }),
    wavFile({ tag: 1, bitsPerSample: 16, data, dataSize: 10 * 3600 * 32000 }),
  ];
  for (const file of files) assert.equal((await decodeFile(file)).channels[0]?.length, samples.length);
});

test('chunks after the samples are ignored', async () => {
  const file = Buffer.concat([
    encodeWavFile({ samples, sampleRateHz: 16000 }),
    Buffer.from('LIST\x08\0\0\0nonsense', 'latin1'),
  ]);
  assert.equal((await decodeFile(file)).channels[0]?.length, samples.length);
});

test('NaN becomes 0 and large floats are clamped', async () => {
  const data = Buffer.alloc(16);
  [Number.NaN, Number.POSITIVE_INFINITY, -1e30, 0.5].forEach(
    (value, i) => void data.writeFloatLE(value, 4 * i),
  );
  const { channels } = await decodeFile(wavFile({ tag: 3, bitsPerSample: 32, data }));
  assert.deepEqual([...(channels[0] as Float32Array)], [0, 1, -1, 0.5]);
});

test('invalid headers are rejected', async () => {
  const data = Buffer.alloc(64);
  const cases: readonly WavParts[] = [
    { tag: 1, bitsPerSample: 16, channels: 0, data },
    { tag: 1, bitsPerSample: 16, channels: 30000, data },
    { tag: 1, bitsPerSample: 16, sampleRateHz: 1, data },
    { tag: 1, bitsPerSample: 16, sampleRateHz: 4_000_000_000, data },
    { tag: 1, bitsPerSample: 64, data },
    { tag: 1, bitsPerSample: 16, data: Buffer.alloc(0) },
    { tag: 1, bitsPerSample: 16, data: Buffer.alloc(1) },
  ];
  for (const parts of cases) {
    await assert.rejects(decodeFile(wavFile(parts)), { code: 'invalid_audio' }, JSON.stringify(parts));
  }
});

test('the chunk size is bounded for any division of the input', async () => {
  const data = Buffer.alloc(2 * 200_000, 1);
  for (const partBytes of [7, 4096, 10_000_000]) {
    const { chunks, channels } = await decodeFile(wavFile({ tag: 1, bitsPerSample: 16, data }), {
      partBytes,
    });
    assert.ok(chunks.every((chunk) => (chunk.channels[0]?.length ?? 0) <= MAX_CHUNK_FRAMES));
    assert.equal(channels[0]?.length, 200_000);
  }
});
