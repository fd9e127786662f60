import { BitReader, IncompleteFrame, InvalidFrame } from './flac-bit-reader.ts';

/** The defaults for frames that do not declare these values. */
export interface FlacStreamInfo {
  readonly sampleRateHz: number;
  readonly bitsPerSample: number;
}

/** One decoded frame. */
export interface FlacFrame {
  readonly channels: readonly Float32Array[];
  readonly sampleRateHz: number;
  readonly sizeBytes: number;
}

interface FrameHeader {
  readonly blockSize: number;
  readonly sampleRateHz: number;
  readonly channelAssignment: number;
  readonly bitsPerSample: number;
}

const SAMPLE_RATES_HZ = [0, 88200, 176400, 192000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000];
const BITS_PER_SAMPLE = [0, 8, 12, 0, 16, 20, 24, 32];
const LEFT_SIDE = 8;
const SIDE_RIGHT = 9;
const MID_SIDE = 10;

/**
 * Decodes the frame at `offset` (RFC 9639, section 9). Throws `InvalidFrame` when there is none, and `IncompleteFrame` when
 * it extends beyond the bytes.
 */
export function decodeFlacFrame(bytes: Uint8Array, offset: number, info: FlacStreamInfo): FlacFrame {
  const bits = new BitReader(bytes, offset);
  const header = readHeader(bits, info);
  const headerEnd = bits.alignToByte();
  if (headerEnd >= bytes.length) throw new IncompleteFrame();
  if (crc8(bytes, offset, headerEnd) !== bits.read(8)) throw new InvalidFrame('header checksum');

  const { blockSize, channelAssignment, bitsPerSample } = header;
  const channelCount = channelAssignment < LEFT_SIDE ? channelAssignment + 1 : 2;
  const channels = Array.from({ length: channelCount }, (_, channel) => {
    // A side channel, the difference of two channels, has one bit more.
    const isSide = channelAssignment === SIDE_RIGHT ? channel === 0 : channel === 1;
    return readSubframe(bits, blockSize, bitsPerSample + (channelAssignment >= LEFT_SIDE && isSide ? 1 : 0));
  });
  const end = bits.alignToByte();
  if (end + 2 > bytes.length) throw new IncompleteFrame();
  if (crc16(bytes, offset, end) !== bits.read(16)) throw new InvalidFrame('frame checksum');

  restoreStereo(channels, channelAssignment);
  const scale = 2 ** (1 - bitsPerSample);
  return {
    channels: channels.map((samples) => scaleToFloat(samples, scale)),
    sampleRateHz: header.sampleRateHz,
    sizeBytes: end + 2 - offset,
  };
}

function readHeader(bits: BitReader, info: FlacStreamInfo): FrameHeader {
  if (bits.read(15) !== 0x7ffc) throw new InvalidFrame('no sync code');
  bits.read(1);
  const blockSizeCode = bits.read(4);
  const rateCode = bits.read(4);
  const channelAssignment = bits.read(4);
  const bitsCode = bits.read(3);
  if (bits.read(1) !== 0 || channelAssignment > MID_SIDE || bitsCode === 3)
    throw new InvalidFrame('reserved bits');
  skipCodedNumber(bits);
  const blockSize = readBlockSize(bits, blockSizeCode);
  const sampleRateHz = readSampleRate(bits, rateCode) || info.sampleRateHz;
  const bitsPerSample = BITS_PER_SAMPLE[bitsCode] || info.bitsPerSample;
  if (sampleRateHz <= 0 || bitsPerSample < 4 || bitsPerSample > 32) throw new InvalidFrame('sample format');
  return { blockSize, sampleRateHz, channelAssignment, bitsPerSample };
}

/** Skips the frame or sample number, coded like UTF-8 in up to seven bytes. */
function skipCodedNumber(bits: BitReader): void {
  const first = bits.read(8);
  if (first < 0x80) return;
  const length = Math.clz32(~(first << 24));
  if (length < 2 || length > 7) throw new InvalidFrame('coded number');
  for (let i = 1; i < length; i++) {
    if (bits.read(8) >> 6 !== 2) throw new InvalidFrame('coded number');
  }
}

function readBlockSize(bits: BitReader, code: number): number {
  if (code === 0) throw new InvalidFrame('block size');
  if (code === 1) return 192;
  if (code <= 5) return 144 << code;
  if (code === 6) return bits.read(8) + 1;
  if (code === 7) return bits.read(16) + 1;
  return 1 << code;
}

/** 0 when the frame uses the rate of the stream. */
function readSampleRate(bits: BitReader, code: number): number {
  if (code < 12) return SAMPLE_RATES_HZ[code] as number;
  if (code === 12) return 1000 * bits.read(8);
  if (code === 13) return bits.read(16);
  if (code === 14) return 10 * bits.read(16);
  throw new InvalidFrame('sample rate');
}

/** Samples are integers of up to 33 bits, stored in doubles. */
function readSubframe(bits: BitReader, blockSize: number, bitsPerSample: number): Float64Array {
  if (bits.read(1) !== 0) throw new InvalidFrame('subframe');
  const type = bits.read(6);
  const wastedBits = bits.read(1) === 0 ? 0 : bits.readUnary() + 1;
  const width = bitsPerSample - wastedBits;
  if (width < 1) throw new InvalidFrame('wasted bits');
  const samples = readSubframeSamples(bits, type, blockSize, width);
  if (wastedBits > 0) {
    for (let i = 0; i < blockSize; i++) samples[i] = (samples[i] as number) * 2 ** wastedBits;
  }
  return samples;
}

function readSubframeSamples(bits: BitReader, type: number, blockSize: number, width: number): Float64Array {
  const samples = new Float64Array(blockSize);
  if (type === 0) return samples.fill(bits.readSigned(width));
  if (type === 1) {
    for (let i = 0; i < blockSize; i++) samples[i] = bits.readSigned(width);
    return samples;
  }
  const isFixed = type >= 8 && type <= 12;
  if (!isFixed && type < 32) throw new InvalidFrame('subframe type');
  const order = isFixed ? type - 8 : type - 31;
  if (order > blockSize) throw new InvalidFrame('predictor order');
  for (let i = 0; i < order; i++) samples[i] = bits.readSigned(width);
  const predictor = isFixed ? (FIXED_PREDICTORS[order] as Predictor) : readPredictor(bits, order);
  const residual = readResidual(bits, blockSize, order);
  predict(samples, residual, predictor);
  return samples;
}

/** A linear predictor: the weighted sum of the previous samples, newest first, shifted right. */
interface Predictor {
  readonly coefficients: readonly number[];
  readonly shift: number;
}

const FIXED_PREDICTORS: readonly Predictor[] = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]].map(
  (coefficients) => ({ coefficients, shift: 0 }),
);

function readPredictor(bits: BitReader, order: number): Predictor {
  const precision = bits.read(4) + 1;
  if (precision === 16) throw new InvalidFrame('predictor precision');
  const shift = bits.readSigned(5);
  if (shift < 0) throw new InvalidFrame('predictor shift');
  return { shift, coefficients: Array.from({ length: order }, () => bits.readSigned(precision)) };
}

function predict(samples: Float64Array, residual: Int32Array, { coefficients, shift }: Predictor): void {
  const order = coefficients.length;
  const weights = Float64Array.from(coefficients);
  const scale = 2 ** -shift;
  for (let i = order; i < samples.length; i++) {
    let sum = 0;
    for (let tap = 0; tap < order; tap++) sum += (weights[tap] as number) * (samples[i - 1 - tap] as number);
    samples[i] = (shift === 0 ? sum : Math.floor(sum * scale)) + (residual[i] as number);
  }
}

function readResidual(bits: BitReader, blockSize: number, order: number): Int32Array {
  const method = bits.read(2);
  if (method > 1) throw new InvalidFrame('residual coding');
  const parameterBits = method === 0 ? 4 : 5;
  const escapeCode = 2 ** parameterBits - 1;
  const partitions = 1 << bits.read(4);
  const partitionSize = blockSize / partitions;
  if (!Number.isInteger(partitionSize) || partitionSize < order)
    throw new InvalidFrame('residual partitions');
  const residual = new Int32Array(blockSize);
  for (let partition = 0; partition < partitions; partition++) {
    const start = partition === 0 ? order : partition * partitionSize;
    const end = (partition + 1) * partitionSize;
    const parameter = bits.read(parameterBits);
    if (parameter === escapeCode) {
      const width = bits.read(5);
      for (let i = start; i < end; i++) residual[i] = bits.readSigned(width);
    } else bits.readRice(residual, start, end, parameter);
  }
  return residual;
}

function scaleToFloat(samples: Float64Array, scale: number): Float32Array {
  const result = new Float32Array(samples.length);
  for (let i = 0; i < samples.length; i++) result[i] = (samples[i] as number) * scale;
  return result;
}

/** Restores left and right from left/side, side/right or mid/side, in place. */
function restoreStereo(channels: readonly Float64Array[], assignment: number): void {
  const [first, second] = channels;
  if (assignment < LEFT_SIDE || first === undefined || second === undefined) return;
  for (let i = 0; i < first.length; i++) {
    const a = first[i] as number;
    const b = second[i] as number;
    if (assignment === LEFT_SIDE) second[i] = a - b;
    else if (assignment === SIDE_RIGHT) first[i] = a + b;
    else {
      // The encoder drops the lowest bit of the sum; it equals the lowest bit of the difference.
      const sum = 2 * a + Math.abs(b % 2);
      first[i] = (sum + b) / 2;
      second[i] = (sum - b) / 2;
    }
  }
}

const CRC8_TABLE = crcTable(8, 0x07);
const CRC16_TABLE = crcTable(16, 0x8005);

function crcTable(width: number, polynomial: number): Uint16Array {
  const mask = 2 ** width - 1;
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (((crc >> (width - 1)) & 1) * polynomial);
    return crc & mask;
  });
}

function crc8(bytes: Uint8Array, start: number, end: number): number {
  let crc = 0;
  for (let i = start; i < end; i++) crc = CRC8_TABLE[crc ^ (bytes[i] as number)] as number;
  return crc;
}

function crc16(bytes: Uint8Array, start: number, end: number): number {
  let crc = 0;
  for (let i = start; i < end; i++) {
    crc = ((crc << 8) & 0xffff) ^ (CRC16_TABLE[(crc >> 8) ^ (bytes[i] as number)] as number);
  }
  return crc;
}
