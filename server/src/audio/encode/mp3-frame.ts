import { joinBytes } from '../bytes.ts';

// The parts of an MPEG-1 layer III mono frame that can be read and set without decoding it.

/** Samples a frame decodes to. */
export const MP3_FRAME_SAMPLES = 1152;

/** Header and side information; what follows is room for main data. */
export const MP3_MONO_OVERHEAD_BYTES = 4 + 17;

/** The furthest a frame's main data may begin before the frame's own room. */
export const MP3_MAX_RESERVOIR_BYTES = 511;

const BITRATES_KBPS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const SAMPLE_RATES_HZ = [44100, 48000, 32000];

/** What a frame's header and side information say. */
export interface Mp3Frame {
  readonly sampleRateHz: number;
  readonly bitrateKbps: number;
  readonly sizeBytes: number;
  /** How far before this frame's room its main data begins, in bytes of main data. */
  readonly mainDataBegin: number;
  readonly mainDataBytes: number;
}

/** Size of the frame whose four header bytes stand at `offset`. Throws when there is no mono MPEG-1 layer III frame. */
export function mp3FrameSizeBytes(bytes: Uint8Array, offset: number): number {
  return readHeader(bytes, offset).sizeBytes;
}

function readHeader(bytes: Uint8Array, offset: number) {
  const third = bytes[offset + 2] as number;
  const bitrateKbps = BITRATES_KBPS[third >> 4];
  const sampleRateHz = SAMPLE_RATES_HZ[(third >> 2) & 3];
  const isMpeg1Layer3 = bytes[offset] === 0xff && bytes[offset + 1] === 0xfb;
  const isMono = (bytes[offset + 3] as number) >> 6 === 3;
  if (!isMpeg1Layer3 || !isMono || !bitrateKbps || sampleRateHz === undefined) {
    throw new Error('Expected a mono MPEG-1 layer III frame.');
  }
  const paddingBytes = (third >> 1) & 1;
  const sizeBytes = Math.floor((144000 * bitrateKbps) / sampleRateHz) + paddingBytes;
  return { sampleRateHz, bitrateKbps, sizeBytes };
}

/** Reads a whole frame. */
export function parseMp3Frame(frame: Uint8Array): Mp3Frame {
  // Bits of the side information: 9 main_data_begin, 5 private, 4 scfsi, then two granules of 59 bits
  // that each begin with 12 bits of length (ISO 11172-3, 2.4.1.7).
  const firstGranuleBits = readBits(frame, 32 + 18, 12);
  const secondGranuleBits = readBits(frame, 32 + 18 + 59, 12);
  return {
    ...readHeader(frame, 0),
    mainDataBegin: readBits(frame, 32, 9),
    mainDataBytes: Math.ceil((firstGranuleBits + secondGranuleBits) / 8),
  };
}

function readBits(bytes: Uint8Array, offset: number, count: number): number {
  let value = 0;
  for (let bit = offset; bit < offset + count; bit++) {
    value = (value << 1) | (((bytes[bit >> 3] as number) >> (7 - (bit & 7))) & 1);
  }
  return value;
}

/** Sets where a frame's main data begins. */
export function setMainDataBegin(frame: Uint8Array, mainDataBegin: number): void {
  frame[4] = mainDataBegin >> 1;
  frame[5] = ((mainDataBegin & 1) << 7) | ((frame[5] as number) & 0x7f);
}

/** The same header and side information with at least `roomBytes` for main data, which is left empty. */
export function emptyCopyWithRoom(frame: Uint8Array, roomBytes: number): Uint8Array {
  const head = frame.slice(0, MP3_MONO_OVERHEAD_BYTES);
  for (let index = (head[2] as number) >> 4; index < BITRATES_KBPS.length; index++) {
    head[2] = (index << 4) | ((head[2] as number) & 0x0f);
    const { sizeBytes } = readHeader(head, 0);
    if (sizeBytes - MP3_MONO_OVERHEAD_BYTES < roomBytes) continue;
    const copy = new Uint8Array(sizeBytes);
    copy.set(head);
    return copy;
  }
  throw new Error(`No MP3 frame has room for ${roomBytes} bytes of main data.`);
}

/** Cuts a byte stream into frames. */
export class Mp3FrameSplitter {
  #rest = new Uint8Array(0);

  /** The frames that became complete with these bytes. */
  push(bytes: Uint8Array): Uint8Array[] {
    const joined = joinBytes([this.#rest, bytes]);
    const frames: Uint8Array[] = [];
    let offset = 0;
    while (offset + 4 <= joined.length) {
      const end = offset + mp3FrameSizeBytes(joined, offset);
      if (end > joined.length) break;
      frames.push(joined.subarray(offset, end));
      offset = end;
    }
    this.#rest = joined.subarray(offset);
    return frames;
  }
}
