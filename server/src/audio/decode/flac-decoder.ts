import { ApiError } from '../../errors.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ClaimCheck, DecodedAudio } from './decoded-audio.ts';
import { BadFrame, OutOfBits } from './flac-bits.ts';
import { decodeFlacFrame, type FlacFrame, type FlacStreamInfo } from './flac-frame.ts';

interface StreamInfo extends FlacStreamInfo {
  /** Zero when whoever wrote the file did not know. */
  readonly totalSamples: number;
}

const STREAM_INFO = 0;
const MAX_FRAME_BYTES = 2 ** 22;
const READ_AHEAD_BYTES = 2 ** 16;

// A file that is crafted to look like frames and never is one must not cost a decode for every few bytes.
const MAX_BAD_FRAMES_IN_A_ROW = 200;

/** Decodes FLAC frame by frame; frames whose checksums are wrong are passed over. */
export async function* decodeFlac(reader: ByteReader, onClaim: ClaimCheck): AsyncGenerator<DecodedAudio> {
  await reader.skip(4);
  const info = await readMetadata(reader);
  onClaim(info.totalSamples / info.sampleRateHz);
  let badFrames = 0;
  let wantedBytes = READ_AHEAD_BYTES;
  while (badFrames < MAX_BAD_FRAMES_IN_A_ROW) {
    const bytes = await reader.peek(wantedBytes);
    const start = findSync(bytes);
    if (start === -1) {
      if (bytes.length < wantedBytes) return;
      await reader.skip(bytes.length - 1);
      continue;
    }
    const frame = tryFrame(bytes, start, info);
    if (frame === 'cut short') {
      if (bytes.length < wantedBytes || wantedBytes >= MAX_FRAME_BYTES) return;
      wantedBytes *= 4;
      continue;
    }
    wantedBytes = READ_AHEAD_BYTES;
    badFrames = frame === 'bad' ? badFrames + 1 : 0;
    await reader.skip(frame === 'bad' ? start + 1 : start + frame.sizeBytes);
    if (frame !== 'bad') yield { channels: frame.channels, sampleRateHz: frame.sampleRateHz };
  }
}

function tryFrame(bytes: Uint8Array, start: number, info: FlacStreamInfo): FlacFrame | 'bad' | 'cut short' {
  try {
    return decodeFlacFrame(bytes, start, info);
  } catch (error) {
    if (error instanceof OutOfBits) return 'cut short';
    if (error instanceof BadFrame) return 'bad';
    throw error;
  }
}

/** Fourteen set bits and a zero, whichever way blocks are counted. */
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
  if (info === undefined) throw new ApiError('invalid_audio', 'The FLAC file does not say what it holds.');
  return info;
}

function readStreamInfo(block: Uint8Array): StreamInfo {
  if (block.length < 34) throw new ApiError('invalid_audio', 'The FLAC file ends within its headers.');
  // 20 bits of rate, 3 of channels, 5 of bits per sample, 36 of the number of samples.
  const view = new DataView(block.buffer, block.byteOffset);
  const packed = view.getUint32(10);
  return {
    sampleRateHz: packed >>> 12,
    bitsPerSample: ((packed >>> 4) & 31) + 1,
    totalSamples: (packed & 15) * 2 ** 32 + view.getUint32(14),
  };
}
