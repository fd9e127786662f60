import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  aiffFile,
  decodeFile,
  encodedFile,
  ffmpegFile,
  vorbisFile,
  webmFile,
} from '../../../test/support/audio/encoded-files.ts';
import { hasFfmpeg } from '../../../test/support/audio/ffmpeg.ts';
import { bestLag, noise, speechLike } from '../../../test/support/audio/signals.ts';
import { encodeWavFile } from '../encode/wav.ts';

const SECONDS = 3;
const speech = (sampleRateHz: number) => speechLike(SECONDS * sampleRateHz, sampleRateHz);
const wav = encodeWavFile({ samples: speech(44100), sampleRateHz: 44100 });

interface FormatCase {
  readonly name: string;
  readonly file: () => Uint8Array | Promise<Uint8Array>;
  readonly sampleRateHz: number;
  readonly channels?: number;
  /** Maximum delay and noise; 0 and -80 dB for lossless formats. */
  readonly lagMax?: number;
  readonly noiseDbMax?: number;
}

const LOSSY = { lagMax: 4, noiseDbMax: -12 };
const ENCODED_HERE: readonly FormatCase[] = [
  {
    name: 'MP3',
    file: () => encodedFile('mp3', speech(44100), 44100),
    sampleRateHz: 44100,
    lagMax: 2300,
    noiseDbMax: -20,
  },
  { name: 'FLAC', file: () => encodedFile('flac', speech(24000), 24000), sampleRateHz: 24000 },
  { name: 'Ogg Opus', file: () => encodedFile('opus', speech(48000), 48000), sampleRateHz: 48000, ...LOSSY },
  { name: 'Ogg Vorbis', file: () => vorbisFile(speech(44100), 44100, 1), sampleRateHz: 44100, ...LOSSY },
  {
    name: 'Ogg Vorbis in stereo',
    file: () => vorbisFile(speech(22050), 22050, 2),
    sampleRateHz: 22050,
    channels: 2,
    ...LOSSY,
  },
  {
    name: 'WebM with Opus',
    file: () => webmFile(speech(48000)),
    sampleRateHz: 48000,
    lagMax: 320,
    noiseDbMax: -12,
  },
];
// FFmpeg's default conversion to stereo attenuates both channels.
const STEREO = ['-af', 'pan=stereo|c0=c0|c1=c0'];
const ENCODED_BY_FFMPEG: readonly (readonly [string, string, readonly string[], Partial<FormatCase>])[] = [
  [
    'MP3 with tags and another sample rate',
    'mp3',
    ['-ar', '22050', '-b:a', '96k', '-metadata', 'title=x'],
    { sampleRateHz: 22050, ...LOSSY },
  ],
  ['MP3 in joint stereo', 'mp3', [...STEREO, '-q:a', '3'], { channels: 2, ...LOSSY }],
  ['FLAC in stereo', 'flac', STEREO, { channels: 2 }],
  ['FLAC with 24 bits', 'flac', ['-sample_fmt', 's32', '-compression_level', '12'], {}],
  [
    'FLAC with the fastest preset',
    'flac',
    ['-compression_level', '0', '-ar', '8000'],
    { sampleRateHz: 8000, noiseDbMax: -12 },
  ],
  ['Ogg Opus in stereo', 'opus', [...STEREO, '-b:a', '96k'], { sampleRateHz: 48000, channels: 2, ...LOSSY }],
  ['WebM with Opus', 'webm', ['-c:a', 'libopus', '-b:a', '64k'], { sampleRateHz: 48000, ...LOSSY }],
  ['Matroska with Opus', 'mka', ['-c:a', 'libopus', '-b:a', '64k'], { sampleRateHz: 48000, ...LOSSY }],
  ['WebM with Vorbis', 'webm', ['-c:a', 'libvorbis'], LOSSY],
  ['M4A with its index at the end', 'm4a', ['-b:a', '128k'], LOSSY],
  ['AAC', 'aac', ['-b:a', '128k'], { lagMax: 2300, noiseDbMax: -12 }],
  ['AIFF', 'aiff', [], {}],
  ['AIFC with little-endian samples', 'aifc', ['-c:a', 'pcm_s16le'], {}],
  ['CAF', 'caf', [], {}],
  ['AU', 'au', [], {}],
  ['WAV with ADPCM', 'wav', ['-c:a', 'adpcm_ima_wav'], LOSSY],
  ['RF64', 'wav', ['-rf64', 'always'], {}],
  ['Ogg FLAC', 'oga', ['-c:a', 'flac'], {}],
  ['ID3 before FLAC', 'flac', ['-write_id3v2', '1'], {}],
];

async function assertDecodes(format: FormatCase): Promise<void> {
  const { channels, sampleRateHz } = await decodeFile(await format.file());
  assert.equal(sampleRateHz, format.sampleRateHz);
  assert.equal(channels.length, format.channels ?? 1);
  const original = speech(sampleRateHz);
  const { lagMax = 0, noiseDbMax = -80 } = format;
  for (const decoded of channels) {
    const padding = lagMax > 100 ? 4 * 1152 : lagMax + (lagMax > 0 ? 960 : 0);
    assert.ok(
      Math.abs(decoded.length - original.length) <= padding,
      `${decoded.length} for ${original.length} samples`,
    );
    const excerpt = original.subarray(0, Math.min(decoded.length, 20_000));
    const lag = lagMax === 0 ? 0 : bestLag(excerpt, decoded, lagMax);
    let error = 0;
    let power = 0;
    for (let i = lagMax; i < Math.min(decoded.length, original.length) - lagMax; i++) {
      error += ((decoded[i + lag] ?? 0) - (original[i] as number)) ** 2;
      power += (original[i] as number) ** 2;
    }
    const noiseDb = 10 * Math.log10(error / power + 1e-12);
    assert.ok(noiseDb <= noiseDbMax, `noise of ${noiseDb.toFixed(1)} dB at a lag of ${lag}`);
  }
}

for (const format of ENCODED_HERE)
  test(`${format.name} decodes to the original audio`, () => assertDecodes(format));
for (const [name, extension, options, expected] of hasFfmpeg ? ENCODED_BY_FFMPEG : []) {
  test(`${name}, encoded by FFmpeg, decodes to the original audio`, () =>
    assertDecodes({
      name,
      file: () => ffmpegFile(wav, extension, options),
      sampleRateHz: 44100,
      ...expected,
    }));
}

test('AIFF and AIFC: channels, sample widths and byte orders', async () => {
  const samples = Int16Array.from({ length: 200 }, (_, i) => 100 * (i % 2 === 0 ? i : -i));
  const bigEndian = Buffer.from(new Uint8Array(samples.buffer)).swap16();
  const cases = [
    { bitsPerSample: 16, data: bigEndian },
    { bitsPerSample: 16, data: bigEndian, codec: 'twos' },
    { bitsPerSample: 16, data: new Uint8Array(samples.buffer), codec: 'sowt' },
  ];
  for (const parts of cases) {
    const decoded = await decodeFile(aiffFile({ ...parts, channels: 2, sampleRateHz: 11025 }));
    assert.equal(decoded.sampleRateHz, 11025);
    assert.deepEqual(
      decoded.channels.map((channel) => [channel.length, Math.round(32768 * (channel[50] as number))]),
      [
        [100, samples[100]],
        [100, samples[101]],
      ],
    );
  }
});

test('FLAC of white noise, which is incompressible, is lossless', async () => {
  const samples = noise(50_000, 0.9);
  const { channels } = await decodeFile(await encodedFile('flac', samples, 48000));
  assert.equal(channels[0]?.length, samples.length);
  for (let i = 0; i < samples.length; i++) {
    assert.ok(Math.abs((channels[0]?.[i] as number) - (samples[i] as number)) <= 1 / 65536 + 1e-7);
  }
});

test('without FFmpeg, a format that needs it is rejected with a message that names it', async () => {
  const m4a = Buffer.concat([Buffer.from('\0\0\0\x20ftypM4A ', 'latin1'), Buffer.alloc(5000)]);
  await assert.rejects(decodeFile(m4a, { ffmpegPath: '/nowhere/ffmpeg' }), {
    code: 'unsupported_media_type',
    message: /^M4A or MP4 can only be decoded with ffmpeg/,
  });
  if (hasFfmpeg) await assert.rejects(decodeFile(m4a), { code: 'invalid_audio' });
});
