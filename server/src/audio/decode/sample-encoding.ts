/** The encoding of one sample in an uncompressed file. */
export interface SampleEncoding {
  readonly kind: 'unsigned' | 'signed' | 'float' | 'a-law' | 'mu-law';
  readonly bytes: number;
  readonly isLittleEndian: boolean;
}

type SampleAt = (view: DataView, offset: number) => number;

/** Whether `decodeSamples` supports the encoding. */
export function isSupportedEncoding(encoding: SampleEncoding): boolean {
  return sampleReader(encoding) !== undefined;
}

/** Converts interleaved samples to floats, one array per channel. An incomplete frame at the end is ignored. */
export function decodeSamples(bytes: Uint8Array, encoding: SampleEncoding, channels: number): Float32Array[] {
  const sampleAt = sampleReader(encoding);
  if (sampleAt === undefined) throw new RangeError('Unknown sample encoding.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frameBytes = channels * encoding.bytes;
  const frames = Math.floor(bytes.length / frameBytes);
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames);
    let offset = channel * encoding.bytes;
    for (let frame = 0; frame < frames; frame++, offset += frameBytes) {
      samples[frame] = sampleAt(view, offset);
    }
    return samples;
  });
}

function sampleReader({ kind, bytes, isLittleEndian: little }: SampleEncoding): SampleAt | undefined {
  switch (kind) {
    case 'unsigned':
      return bytes === 1 ? (view, at) => (view.getUint8(at) - 128) / 128 : undefined;
    case 'signed':
      return signedReader(bytes, little);
    case 'float':
      if (bytes === 4) return (view, at) => clampSample(view.getFloat32(at, little));
      return bytes === 8 ? (view, at) => clampSample(view.getFloat64(at, little)) : undefined;
    case 'a-law':
      return bytes === 1 ? (view, at) => A_LAW[view.getUint8(at)] as number : undefined;
    case 'mu-law':
      return bytes === 1 ? (view, at) => MU_LAW[view.getUint8(at)] as number : undefined;
  }
}

function signedReader(bytes: number, little: boolean): SampleAt | undefined {
  switch (bytes) {
    case 1:
      return (view, at) => view.getInt8(at) / 2 ** 7;
    case 2:
      return (view, at) => view.getInt16(at, little) / 2 ** 15;
    case 3:
      return little
        ? (view, at) => (view.getInt8(at + 2) * 2 ** 16 + view.getUint16(at, true)) / 2 ** 23
        : (view, at) => (view.getInt8(at) * 2 ** 16 + view.getUint16(at + 1, false)) / 2 ** 23;
    case 4:
      return (view, at) => view.getInt32(at, little) / 2 ** 31;
    default:
      return undefined;
  }
}

/** Clamps to [-1, 1]; NaN becomes 0. A file may contain any float. */
function clampSample(value: number): number {
  if (value >= -1 && value <= 1) return value;
  return Number.isNaN(value) ? 0 : Math.sign(value);
}

/** ITU-T G.711 A-law: sign, three bits of exponent, four of mantissa, every other bit inverted. */
const A_LAW = Float32Array.from({ length: 256 }, (_, code) => {
  const bits = code ^ 0x55;
  const exponent = (bits >> 4) & 7;
  const mantissa = bits & 15;
  const magnitude = exponent === 0 ? 16 * mantissa + 8 : (16 * mantissa + 264) << (exponent - 1);
  return ((bits & 0x80) === 0 ? -magnitude : magnitude) / 2 ** 15;
});

/** ITU-T G.711 µ-law: all bits inverted, a bias of 132 on 16-bit samples. */
const MU_LAW = Float32Array.from({ length: 256 }, (_, code) => {
  const bits = ~code & 0xff;
  const magnitude = ((8 * (bits & 15) + 132) << ((bits >> 4) & 7)) - 132;
  return ((bits & 0x80) === 0 ? magnitude : -magnitude) / 2 ** 15;
});
