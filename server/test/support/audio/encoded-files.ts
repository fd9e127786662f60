import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEncoder as createOpusEncoder } from 'libopus-wasm';
import { createOggEncoder } from 'wasm-media-encoders';
import {
  type DecodedAudio,
  type DecodeOptions,
  decodeAudio,
} from '../../../src/audio/decode/decode-audio.ts';
import { createEncoder } from '../../../src/audio/encode/create-encoder.ts';
import type { AudioFormat } from '../../../src/audio/formats.ts';
import { joinSamples } from '../../../src/audio/pcm.ts';

/** A stream of the bytes of a file in parts of the given size. */
export async function* inParts(file: Uint8Array, partBytes = 4096): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < file.length; offset += partBytes) {
    yield file.subarray(offset, offset + partBytes);
  }
}

/** The decoded audio of a file. */
export interface DecodedFile {
  readonly channels: readonly Float32Array[];
  readonly sampleRateHz: number;
  readonly chunks: readonly DecodedAudio[];
}

/** Decodes a whole file and joins the chunks. */
export async function decodeFile(
  file: Uint8Array,
  options: DecodeOptions & { readonly partBytes?: number } = {},
): Promise<DecodedFile> {
  const chunks: DecodedAudio[] = [];
  for await (const chunk of decodeAudio(inParts(file, options.partBytes), options)) chunks.push(chunk);
  const { channels, sampleRateHz } = chunks[0] as DecodedAudio;
  return {
    channels: channels.map((_, channel) =>
      joinSamples(chunks.map((chunk) => chunk.channels[channel] as Float32Array)),
    ),
    sampleRateHz,
    chunks,
  };
}

/** The header and content of a WAV file for tests. */
export interface WavParts {
  readonly tag: number;
  readonly bitsPerSample: number;
  readonly channels?: number;
  readonly sampleRateHz?: number;
  readonly data: Uint8Array;
  /** Declared in the header. */
  readonly riffId?: string;
  readonly dataSize?: number;
  readonly isExtensible?: boolean;
  /** A chunk before the samples. */
  readonly extraChunk?: Uint8Array;
}

/** Writes a WAV file, valid or invalid. Shares no code with the decoder. */
export function wavFile(parts: WavParts): Uint8Array {
  const { channels = 1, sampleRateHz = 16000, data, bitsPerSample } = parts;
  const format = Buffer.alloc(parts.isExtensible ? 40 : 16);
  const blockBytes = (channels * bitsPerSample) / 8;
  format.writeUInt16LE(parts.isExtensible ? 0xfffe : parts.tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(sampleRateHz, 4);
  format.writeUInt32LE((sampleRateHz * blockBytes) >>> 0, 8);
  format.writeUInt16LE(blockBytes & 0xffff, 12);
  format.writeUInt16LE(bitsPerSample, 14);
  if (parts.isExtensible) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(bitsPerSample, 18);
    format.writeUInt16LE(parts.tag, 24);
    format.write('\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71', 26, 'latin1');
  }
  const extra = parts.extraChunk === undefined ? [] : [riffChunk('LIST', parts.extraChunk)];
  const body = [riffChunk('fmt ', format), ...extra, riffChunk('data', data, parts.dataSize)];
  const header = Buffer.alloc(12);
  header.write(parts.riffId ?? 'RIFF', 0, 'latin1');
  header.writeUInt32LE(4 + body.reduce((sum, chunk) => sum + chunk.length, 0), 4);
  header.write('WAVE', 8, 'latin1');
  return Buffer.concat([header, ...body]);
}

function riffChunk(id: string, body: Uint8Array, declaredSize = body.length): Uint8Array {
  const header = Buffer.alloc(8);
  header.write(id, 0, 'latin1');
  header.writeUInt32LE(declaredSize, 4);
  return Buffer.concat([header, body, Buffer.alloc(body.length & 1)]);
}

/** Writes an AIFF or AIFC file. */
export function aiffFile(parts: {
  readonly codec?: string;
  readonly bitsPerSample: number;
  readonly sampleRateHz: number;
  readonly channels: number;
  readonly data: Uint8Array;
}): Uint8Array {
  const common = Buffer.alloc(parts.codec === undefined ? 18 : 24);
  common.writeUInt16BE(parts.channels, 0);
  common.writeUInt32BE(parts.data.length / ((parts.channels * parts.bitsPerSample) / 8), 2);
  common.writeUInt16BE(parts.bitsPerSample, 6);
  // An 80-bit extended float: the exponent bias is 16383, and the leading one is explicit.
  const exponent = Math.floor(Math.log2(parts.sampleRateHz));
  common.writeUInt16BE(16383 + exponent, 8);
  common.writeBigUInt64BE(BigInt(parts.sampleRateHz) << BigInt(63 - exponent), 10);
  if (parts.codec !== undefined) common.write(parts.codec, 18, 'latin1');
  const body = Buffer.concat([
    Buffer.from(parts.codec === undefined ? 'AIFF' : 'AIFC', 'latin1'),
    bigEndianChunk('COMM', common),
    bigEndianChunk('SSND', Buffer.concat([Buffer.alloc(8), parts.data])),
  ]);
  return bigEndianChunk('FORM', body);
}

function bigEndianChunk(id: string, body: Uint8Array): Uint8Array {
  const header = Buffer.alloc(8);
  header.write(id, 0, 'latin1');
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body, Buffer.alloc(body.length & 1)]);
}

/** Encodes mono audio to a file of one of the output formats. */
export async function encodedFile(
  format: AudioFormat,
  samples: Float32Array,
  sampleRateHz: number,
): Promise<Uint8Array> {
  const encoder = await createEncoder({ format, sampleRateHz, mp3BitrateKbps: 128, opusBitrateBps: 64000 });
  return Buffer.concat([encoder.encode(samples), encoder.finish()]);
}

/** Encodes a Vorbis file with equal channels. */
export async function vorbisFile(
  samples: Float32Array,
  sampleRateHz: number,
  channels: 1 | 2,
): Promise<Uint8Array> {
  const encoder = await createOggEncoder();
  encoder.configure({ sampleRate: sampleRateHz, channels, vbrQuality: 5 });
  const parts: Uint8Array[] = [];
  for (let offset = 0; offset < samples.length; offset += 4096) {
    const part = samples.subarray(offset, offset + 4096);
    parts.push(encoder.encode(Array.from({ length: channels }, () => part)).slice());
  }
  parts.push(encoder.finalize().slice());
  return Buffer.concat(parts);
}

/** A recording as browsers write it: Opus in WebM, segment and clusters of unknown size, with a video track. */
export async function webmFile(samples: Float32Array): Promise<Uint8Array> {
  const encoder = await createOpusEncoder({ channels: 1, sampleRate: 48000, bitrate: 64000 });
  const preSkip = encoder.getLookahead();
  const clusters: Uint8Array[] = [];
  for (let offset = 0, frame = 0; offset + 960 <= samples.length; offset += 960, frame++) {
    const time = Buffer.alloc(2);
    time.writeInt16BE(20 * (frame % 50), 0);
    const packet = encoder.encodeFloat(samples.slice(offset, offset + 960));
    if (frame % 50 === 0) clusters.push(unknownSize(0x1f43b675), element(0xe7, Buffer.of(frame / 50)));
    clusters.push(element(0xa3, Buffer.concat([Buffer.of(0x82), time, Buffer.of(0x80), packet])));
    clusters.push(element(0xa3, Buffer.concat([Buffer.of(0x81), time, Buffer.of(0x80, 1, 2, 3)])));
  }
  encoder.free();
  const head = Buffer.from('OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0', 'latin1');
  head.writeUInt16LE(preSkip, 10);
  const track = (number: number, codec: string, more: readonly Uint8Array[]) =>
    element(
      0xae,
      Buffer.concat([element(0xd7, Buffer.of(number)), element(0x86, Buffer.from(codec)), ...more]),
    );
  return Buffer.concat([
    element(0x1a45dfa3, element(0x4282, Buffer.from('webm'))),
    unknownSize(0x18538067),
    element(0xec, Buffer.alloc(300)),
    element(0x1654ae6b, Buffer.concat([track(1, 'V_VP8', []), track(2, 'A_OPUS', [element(0x63a2, head)])])),
    ...clusters,
  ]);
}

function element(id: number, content: Uint8Array): Uint8Array {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(0x10000000 + content.length, 0);
  return Buffer.concat([idBytes(id), size, content]);
}

function unknownSize(id: number): Uint8Array {
  return Buffer.concat([idBytes(id), Buffer.from('01ffffffffffffff', 'hex')]);
}

function idBytes(id: number): Uint8Array {
  const digits = id.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

/** Converts a mono WAV file with FFmpeg. Writes to a folder, because some containers need a seekable output. */
export function ffmpegFile(wav: Uint8Array, extension: string, options: readonly string[] = []): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'mynah-ffmpeg-'));
  try {
    const path = join(folder, `file.${extension}`);
    const run = spawnSync('ffmpeg', ['-v', 'error', '-i', 'pipe:0', ...options, path], { input: wav });
    if (run.status !== 0) throw new Error(`ffmpeg: ${run.stderr}`);
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
