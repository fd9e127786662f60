import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  aiffFile,
  decodeFile,
  encodedFile,
  ffmpegFile,
  inParts,
  vorbisFile,
  webmFile,
} from '../../../test/support/audio/encoded-files.ts';
import { hasFfmpeg } from '../../../test/support/audio/ffmpeg.ts';
import { speechLike } from '../../../test/support/audio/signals.ts';
import { ApiError } from '../../errors.ts';
import { encodeWavFile } from '../encode/wav.ts';
import { decodeAudio } from './decode-audio.ts';

const speech = (sampleRateHz: number) => speechLike(sampleRateHz, sampleRateHz);
const FILES: Readonly<Record<string, Uint8Array>> = {
  WAV: encodeWavFile({ samples: speech(16000), sampleRateHz: 16000 }),
  AIFF: aiffFile({ bitsPerSample: 16, channels: 1, sampleRateHz: 16000, data: new Uint8Array(32000) }),
  MP3: await encodedFile('mp3', speech(44100), 44100),
  FLAC: await encodedFile('flac', speech(24000), 24000),
  'Ogg Opus': await encodedFile('opus', speech(48000), 48000),
  'Ogg Vorbis': await vorbisFile(speech(44100), 44100, 1),
  'WebM with Opus': await webmFile(speech(48000)),
};
const EXPECTED = ['invalid_audio', 'unsupported_media_type', 'audio_too_long'];

/** Damage that can happen to a file in transit. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({
    kind: fc.constant('overwrite' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 600 }),
  }),
  fc.record({
    kind: fc.constant('insert' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 600 }),
  }),
);
type Damage = typeof damage extends fc.Arbitrary<infer Value> ? Value : never;

function applyDamage(file: Uint8Array, change: Damage): Uint8Array {
  const at = Math.floor(change.at * file.length);
  if (change.kind === 'cut') return file.subarray(0, at);
  const after = change.kind === 'insert' ? at : at + change.bytes.length;
  return Buffer.concat([file.subarray(0, at), change.bytes, file.subarray(after)]);
}

for (const [name, file] of Object.entries(FILES)) {
  test(`${name}: a truncated or damaged file gives audio of bounded length or a documented error`, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(damage, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 9000 }),
        async (changes, partBytes) => {
          const damaged = changes.reduce(applyDamage, file);
          let seconds = 0;
          try {
            for await (const { channels, sampleRateHz } of decodeAudio(inParts(damaged, partBytes), {
              maxSeconds: 60,
              ffmpegPath: '/nowhere/ffmpeg',
            })) {
              assert.ok(channels.every((samples) => samples.length === channels[0]?.length));
              seconds += (channels[0]?.length ?? 0) / sampleRateHz;
            }
            assert.ok(seconds > 0);
          } catch (error) {
            assert.ok(error instanceof ApiError && EXPECTED.includes(error.code), String(error));
          }
        },
      ),
      { numRuns: 40 },
    ));

  test(`${name}: the first half of a file is decoded`, async () => {
    const { channels, sampleRateHz } = await decodeFile(file.subarray(0, Math.ceil(0.6 * file.length)));
    assert.ok((channels[0]?.length ?? 0) / sampleRateHz > 0.2);
  });

  test(`${name}: megabytes of other bytes after the audio cost linear CPU time`, async () => {
    const fillerBytes = 48 * 65536;
    const cpuSecondsPerByte = (await cpuSecondsOf(() => decodeFile(file))) / file.length;
    const cpuSecondsMax = 5 + 2 * cpuSecondsPerByte * (file.length + fillerBytes);
    for (const filler of [0x00, 0xff, 0x4f]) {
      async function* withFiller() {
        yield file;
        yield* inParts(new Uint8Array(fillerBytes).fill(filler), 65536);
      }
      const cpuSeconds = await cpuSecondsOf(async () => {
        for await (const _ of decodeAudio(withFiller(), { maxSeconds: 60 }));
      });
      assert.ok(cpuSeconds < cpuSecondsMax, `${filler}: ${cpuSeconds} s of ${cpuSecondsMax} s`);
    }
  });
}

/** CPU time of this process, which depends little on the load of the machine. */
async function cpuSecondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

test('FLAC: damage in one frame costs that frame only', async () => {
  const samples = speech(48000);
  const file = await encodedFile('flac', samples, 48000);
  for (const at of [0.2, 0.5, 0.8]) {
    const damaged = Uint8Array.from(file);
    const start = Math.floor(at * file.length);
    for (let i = start; i < start + 20; i++) damaged[i]! ^= 0x5a;
    const { channels } = await decodeFile(damaged);
    // The encoder writes frames of 4096 samples; damage at a boundary costs two.
    const lost = samples.length - channels[0]!.length;
    assert.ok(lost > 0 && lost <= 2 * 4096, `${lost} samples`);
  }
});

test('FLAC: frame headers without frames cost linear CPU time', async () => {
  const headers = Buffer.concat(Array.from({ length: 80_000 }, () => flacFrameHeader()));
  const cpuSeconds = await cpuSecondsOf(() =>
    assert.rejects(decodeFile(Buffer.concat([flacHead(48000), headers])), { code: 'invalid_audio' }),
  );
  assert.ok(cpuSeconds < 5, `${cpuSeconds} s`);
});

test('WebM: empty elements are refused early, in linear CPU time; thousands of them are accepted', async () => {
  const recording = FILES['WebM with Opus']!;
  const [VOID, CLUSTER, BLOCK] = [
    Buffer.of(0xec, 0x80),
    Buffer.from('1f43b67580', 'hex'),
    Buffer.of(0xa3, 0x80),
  ];
  for (const element of [VOID, CLUSTER, BLOCK]) {
    const withElements = (bytes: number) => Buffer.concat([recording, Buffer.alloc(bytes, element)]);
    const cpuSeconds = await cpuSecondsOf(() =>
      assert.rejects(decodeFile(withElements(4_000_000), { partBytes: 65_536 }), { code: 'invalid_audio' }),
    );
    assert.ok(cpuSeconds < 2, `${cpuSeconds} s`);
    await decodeFile(withElements(10_000 * element.length));
  }
});

test('Ogg: headers that declare long pages within each other cost linear CPU time', async () => {
  // Each of these declares a page of 57 kB, whose checksum covers the others.
  const header = Buffer.alloc(27, 0xff);
  header.write('OggS\0', 'latin1');
  const speechFile = FILES['Ogg Opus']!;
  const file = Buffer.concat([speechFile, Buffer.alloc(4_000_000, header), speechFile]);
  const cpuSeconds = await cpuSecondsOf(async () => {
    const { channels, sampleRateHz } = await decodeFile(file, { partBytes: 65_536 });
    const seconds = channels[0]!.length / sampleRateHz;
    assert.ok(seconds > 1.9 && seconds < 2.1, `${seconds} seconds`);
  });
  assert.ok(cpuSeconds < 10, `${cpuSeconds} s`);
});

test('FLAC: a small file that holds hours of silence stops at the limit', async () => {
  async function* bomb() {
    yield flacHead(48000);
    const frames = Buffer.concat(Array.from({ length: 1000 }, () => silentFlacFrame()));
    while (true) yield frames;
  }
  let seconds = 0;
  await assert.rejects(
    async () => {
      for await (const { channels, sampleRateHz } of decodeAudio(bomb(), { maxSeconds: 600 })) {
        seconds += (channels[0]?.length ?? 0) / sampleRateHz;
      }
    },
    { code: 'audio_too_long' },
  );
  assert.ok(seconds <= 600 && seconds > 590);
});

const TEN_HOURS = 36_000;
const LONG_DECLARATIONS: Readonly<Record<string, Uint8Array>> = {
  WAV: withUint32(FILES.WAV!, 40, TEN_HOURS * 16000 * 2, 'little'),
  AIFF: withUint32(FILES.AIFF!, indexOf(FILES.AIFF!, 'SSND') + 4, TEN_HOURS * 16000 * 2, 'big'),
  FLAC: Buffer.concat([flacHead(48000, TEN_HOURS * 48000), silentFlacFrame()]),
  ...(hasFfmpeg ? { M4A: longM4a() } : {}),
};
for (const [name, file] of Object.entries(LONG_DECLARATIONS)) {
  test(`${name}: a header that declares ten hours is rejected before any audio is decoded`, async () => {
    const chunks = decodeAudio(inParts(file, 4096), { maxSeconds: 3600 });
    await assert.rejects(chunks.next(), { code: 'audio_too_long' });
  });
}

/** An M4A file of one second whose header declares ten hours. */
function longM4a(): Uint8Array {
  const file = ffmpegFile(FILES.WAV!, 'm4a');
  const movie = indexOf(file, 'mvhd') + 4;
  const ticksPerSecond = Buffer.from(file).readUInt32BE(movie + 12);
  return withUint32(file, movie + 16, TEN_HOURS * ticksPerSecond, 'big');
}

function indexOf(bytes: Uint8Array, text: string): number {
  return Buffer.from(bytes).indexOf(text);
}

function withUint32(file: Uint8Array, offset: number, value: number, order: 'little' | 'big'): Uint8Array {
  const copy = Uint8Array.from(file);
  new DataView(copy.buffer).setUint32(offset, value, order === 'little');
  return copy;
}

/** The stream header. A total of 0 samples means unknown. */
function flacHead(sampleRateHz: number, totalSamples = 0): Uint8Array {
  const head = Buffer.alloc(42);
  head.write('fLaC\x80\0\0\x22', 0, 'latin1');
  head.writeUInt32BE(((sampleRateHz << 12) | (15 << 4)) >>> 0, 18);
  head.writeUInt32BE(totalSamples, 22);
  return head;
}

/** The header of a frame of 65,536 samples, with its checksum. */
function flacFrameHeader(): Uint8Array {
  const header = Buffer.from('fff87008' + '00' + 'ffff', 'hex');
  return Buffer.concat([header, Buffer.of(crc(header, 8, 0x07))]);
}

/** 65,536 samples of silence in 13 bytes. */
function silentFlacFrame(): Uint8Array {
  const frame = Buffer.concat([flacFrameHeader(), Buffer.alloc(3)]);
  const footer = Buffer.alloc(2);
  footer.writeUInt16BE(crc(frame, 16, 0x8005), 0);
  return Buffer.concat([frame, footer]);
}

/** A CRC, computed bit by bit. */
function crc(bytes: Uint8Array, width: number, polynomial: number): number {
  let remainder = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const top = ((remainder >> (width - 1)) & 1) ^ ((byte >> bit) & 1);
      remainder = ((remainder << 1) & (2 ** width - 1)) ^ (top * polynomial);
    }
  }
  return remainder;
}
