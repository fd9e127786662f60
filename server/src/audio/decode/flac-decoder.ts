import { ApiError } from '../../errors.ts';
import type { ByteReader } from './byte-reader.ts';
import type { DecodedAudio, DurationCheck } from './decoded-audio.ts';
import { IncompleteFrame, InvalidFrame } from './flac-bit-reader.ts';
import { decodeFlacFrame, type FlacFrame, type FlacStreamInfo } from './flac-frame.ts';

// A decoder of our own: @wasm-audio-decoders/flac 0.2.11 loses 512 KiB of audio after one damaged frame, and its search for
// frames takes quadratic time (160 KB of frame headers: 5.6 s). See the FLAC tests in decode-damage.test.ts.

interface StreamInfo extends FlacStreamInfo {
  /** 0 when unknown. */
  readonly totalSamples: number;
}

const STREAM_INFO = 0;
const MAX_FRAME_BYTES = 2 ** 22;
const READ_AHEAD_BYTES = 2 ** 16;

// Bounds the work for a crafted file with many frame headers and no frames.
const MAX_CONSECUTIVE_INVALID_FRAMES = 200;

/** Decodes FLAC frame by frame. Frames with a wrong checksum are skipped. */
export async function* decodeFlac(
  reader: ByteReader,
  checkDuration: DurationCheck,
): AsyncGenerator<DecodedAudio> {
  await reader.skip(4);
  const info = await readMetadata(reader);
  checkDuration(info.totalSamples / info.sampleRateHz);
  let invalidFrames = 0;
  let wantedBytes = READ_AHEAD_BYTES;
  while (invalidFrames < MAX_CONSECUTIVE_INVALID_FRAMES) {
    const bytes = await reader.peek(wantedBytes);
    const start = findSync(bytes);
    if (start === -1) {
      if (bytes.length < wantedBytes) return;
      await reader.skip(bytes.length - 1);
      continue;
    }
    const frame = tryDecodeFrame(bytes, start, info);
    if (frame === 'incomplete') {
      if (bytes.length < wantedBytes || wantedBytes >= MAX_FRAME_BYTES) return;
      wantedBytes *= 4;
      continue;
    }
    wantedBytes = READ_AHEAD_BYTES;
    invalidFrames = frame === 'invalid' ? invalidFrames + 1 : 0;
    await reader.skip(frame === 'invalid' ? start + 1 : start + frame.sizeBytes);
    if (frame !== 'invalid') yield { channels: frame.channels, sampleRateHz: frame.sampleRateHz };
  }
}

function tryDecodeFrame(
  bytes: Uint8Array,
  start: number,
  info: FlacStreamInfo,
): FlacFrame | 'invalid' | 'incomplete' {
  try {
    return decodeFlacFrame(bytes, start, info);
  } catch (error) {
    if (error instanceof IncompleteFrame) return 'incomplete';
    if (error instanceof InvalidFrame) return 'invalid';
    throw error;
  }
}

/** The offset of the next sync code, for either blocking strategy; -1 when there is none. */
function findSync(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(0xff); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    if (((bytes[at + 1] ?? 0) & 0xfe) === 0xf8) return at;
  }
  return -1;
}

async function readMetadata(reader: ByteReader): Promise<StreamInfo> {
  let info: StreamInfo | undefined;
  for (let isLast = false; !isLast; ) {
    const header = await reader.read(4);
    if (header.length < 4) throw new ApiError('invalid_audio', 'The FLAC file ends within its headers.');
    const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
    isLast = view.getUint8(0) >= 0x80;
    const size = view.getUint32(0) & 0xffffff;
    if ((view.getUint8(0) & 0x7f) === STREAM_INFO && size >= 34) {
      info = readStreamInfo(await reader.read(34));
      await reader.skip(size - 34);
    } else await reader.skip(size);
  }
  if (info === undefined) throw new ApiError('invalid_audio', 'The FLAC file has no stream information.');
  return info;
}

function readStreamInfo(block: Uint8Array): StreamInfo {
  if (block.length < 34) throw new ApiError('invalid_audio', 'The FLAC file ends within its headers.');
  // 20 bits of sample rate, 3 of channels, 5 of bits per sample, 36 of total samples.
  const view = new DataView(block.buffer, block.byteOffset);
  const packed = view.getUint32(10);
  return {
    sampleRateHz: packed >>> 12,
    bitsPerSample: ((packed >>> 4) & 31) + 1,
    totalSamples: (packed & 15) * 2 ** 32 + view.getUint32(14),
  };
}
