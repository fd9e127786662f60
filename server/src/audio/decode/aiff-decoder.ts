import { ApiError } from '../../errors.ts';
import type { ByteReader } from './byte-reader.ts';
import type { DecodedAudio, DurationCheck } from './decoded-audio.ts';
import type { SampleEncoding } from './sample-encoding.ts';
import { decodeInterleaved, type SampleLayout } from './sample-layout.ts';

// The COMM chunk of AIFF has 18 bytes; AIFC adds the codec and its name.
const AIFF_COMMON_BYTES = 18;
const AIFC_COMMON_BYTES = 22;

/** Decodes a stream of AIFF or uncompressed AIFC. */
export async function* decodeAiff(
  reader: ByteReader,
  checkDuration: DurationCheck,
): AsyncGenerator<DecodedAudio> {
  await reader.skip(12);
  let layout: SampleLayout | undefined;
  while (true) {
    const header = await reader.read(8);
    if (header.length < 8) throw new ApiError('invalid_audio', 'The AIFF file ends before its samples.');
    const id = String.fromCharCode(...header.subarray(0, 4));
    const size = new DataView(header.buffer, header.byteOffset).getUint32(4);
    if (id === 'SSND') {
      if (layout === undefined) {
        throw new ApiError('invalid_audio', 'The AIFF file has samples before their format.');
      }
      const offset = await reader.read(8);
      if (offset.length < 8) throw new ApiError('invalid_audio', 'The AIFF file ends before its samples.');
      const skippedBytes = new DataView(offset.buffer, offset.byteOffset).getUint32(0);
      await reader.skip(skippedBytes);
      // An interrupted recorder leaves the size at 0.
      yield* decodeInterleaved(reader, layout, {
        bytes: size <= 8 ? undefined : size - 8 - skippedBytes,
        checkDuration,
      });
      return;
    }
    const body = id === 'COMM' ? await reader.read(Math.min(size, AIFC_COMMON_BYTES)) : new Uint8Array(0);
    if (id === 'COMM') layout = readCommon(body);
    await reader.skip(size + (size & 1) - body.length);
  }
}

function readCommon(chunk: Uint8Array): SampleLayout {
  if (chunk.length < AIFF_COMMON_BYTES) {
    throw new ApiError('invalid_audio', 'The format chunk of the AIFF file is truncated.');
  }
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const bytes = Math.ceil(view.getUint16(6) / 8);
  const codec = chunk.length >= AIFC_COMMON_BYTES ? String.fromCharCode(...chunk.subarray(18, 22)) : 'NONE';
  return {
    channels: view.getUint16(0),
    sampleRateHz: Math.round(readExtendedFloat(view, 8)),
    encoding: sampleEncoding(codec, bytes),
  };
}

function sampleEncoding(codec: string, bytes: number): SampleEncoding {
  switch (codec.toLowerCase()) {
    case 'none':
    case 'twos':
    case 'in24':
    case 'in32':
      return { kind: 'signed', bytes, isLittleEndian: false };
    case 'sowt':
      return { kind: 'signed', bytes, isLittleEndian: true };
    case 'raw ':
      return { kind: 'unsigned', bytes, isLittleEndian: false };
    case 'fl32':
      return { kind: 'float', bytes: 4, isLittleEndian: false };
    case 'fl64':
      return { kind: 'float', bytes: 8, isLittleEndian: false };
    case 'alaw':
      return { kind: 'a-law', bytes: 1, isLittleEndian: false };
    case 'ulaw':
      return { kind: 'mu-law', bytes: 1, isLittleEndian: false };
    default:
      throw new ApiError(
        'unsupported_media_type',
        'This AIFC file is compressed with a codec this server cannot decode.',
      );
  }
}

/** An 80-bit extended float, the type of the sample rate in AIFF. */
function readExtendedFloat(view: DataView, offset: number): number {
  const exponent = (view.getUint16(offset) & 0x7fff) - 16383;
  return (
    view.getUint32(offset + 2) * 2 ** (exponent - 31) + view.getUint32(offset + 6) * 2 ** (exponent - 63)
  );
}
