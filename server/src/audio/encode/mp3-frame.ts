import { joinBytes } from '../bytes.ts';

// The fields of an MPEG-1 layer III mono frame that can be read and set without decoding it.

/** Samples per frame. */
export const MP3_FRAME_SAMPLES = 1152;

/** Size of header and side information. The rest of a frame is its main data area. */
export const MP3_MONO_OVERHEAD_BYTES = 4 + 17;

/** Maximum distance of the start of the main data before the main data area of its frame. */
export const MP3_MAX_RESERVOIR_BYTES = 511;

const BITRATES_KBPS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const SAMPLE_RATES_HZ = [44100, 48000, 32000];

/** The header and side information of a frame. */
export interface Mp3Frame {
  readonly sampleRateHz: number;
  readonly bitrateKbps: number;
  readonly sizeBytes: number;
  /** Distance of the start of the main data before the main data area of this frame, in bytes of main data. */
  readonly mainDataBegin: number;
  readonly mainDataBytes: number;
}

/** The size of the frame whose four header bytes are at `offset`. Throws when it is not mono MPEG-1 layer III. */
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

/** Parses header and side information of a frame. */
export function parseMp3Frame(frame: Uint8Array): Mp3Frame {
  // Side information: 9 bits main_data_begin, 5 private, 4 scfsi, then two granules of 59 bits that each begin with 12
  // bits of length (ISO 11172-3, 2.4.1.7).
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

/** Sets `main_data_begin` of a frame. */
export function setMainDataBegin(frame: Uint8Array, mainDataBegin: number): void {
  frame[4] = mainDataBegin >> 1;
  frame[5] = ((mainDataBegin & 1) << 7) | ((frame[5] as number) & 0x7f);
}

/** Copies header and side information into a frame with an empty main data area of at least `capacityBytes`. */
export function emptyCopyWithCapacity(frame: Uint8Array, capacityBytes: number): Uint8Array {
  const head = frame.slice(0, MP3_MONO_OVERHEAD_BYTES);
  for (let index = (head[2] as number) >> 4; index < BITRATES_KBPS.length; index++) {
    head[2] = (index << 4) | ((head[2] as number) & 0x0f);
    const { sizeBytes } = readHeader(head, 0);
    if (sizeBytes - MP3_MONO_OVERHEAD_BYTES < capacityBytes) continue;
    const copy = new Uint8Array(sizeBytes);
    copy.set(head);
    return copy;
  }
  throw new Error(`No MP3 frame has space for ${capacityBytes} bytes of main data.`);
}

/** Splits a byte stream into frames. */
export class Mp3FrameSplitter {
  #incomplete = new Uint8Array(0);

  /** Returns the frames that these bytes complete. */
  push(bytes: Uint8Array): Uint8Array[] {
    const joined = joinBytes([this.#incomplete, bytes]);
    const frames: Uint8Array[] = [];
    let offset = 0;
    while (offset + 4 <= joined.length) {
      const end = offset + mp3FrameSizeBytes(joined, offset);
      if (end > joined.length) break;
      frames.push(joined.subarray(offset, end));
      offset = end;
    }
    this.#incomplete = joined.subarray(offset);
    return frames;
  }
}
