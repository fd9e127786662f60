import { ApiError } from '../../errors.ts';
import type { ByteReader } from './byte-reader.ts';
import type { DecodedAudio, DurationCheck } from './decoded-audio.ts';
import type { SampleEncoding } from './sample-encoding.ts';
import { decodeInterleaved, type SampleLayout } from './sample-layout.ts';

const PCM = 1;
const FLOAT = 3;
const A_LAW = 6;
const MU_LAW = 7;
const EXTENSIBLE = 0xfffe;
const SUPPORTED_FORMATS = [PCM, FLOAT, A_LAW, MU_LAW];

/** `fmt ` */
const FORMAT_CHUNK_ID = 0x666d7420;

// A format chunk has 16 to 40 bytes; further bytes are ignored.
const FORMAT_CHUNK_BYTES = 40;

// Sizes from here on are placeholders of a file that was streamed before its length was known.
const PLACEHOLDER_SIZE = 0x7fff_0000;

/**
 * Decodes a stream of RIFF, RF64 or BW64 WAVE. The declared duration is checked; the audio ends there or at the end of
 * the file.
 */
export async function* decodeWav(
  reader: ByteReader,
  checkDuration: DurationCheck = () => {},
): AsyncGenerator<DecodedAudio> {
  await reader.skip(12);
  let layout: SampleLayout | undefined;
  while (true) {
    const header = await reader.read(8);
    if (header.length < 8) throw new ApiError('invalid_audio', 'The WAV file ends before its samples.');
    const id = String.fromCharCode(...header.subarray(0, 4));
    const size = new DataView(header.buffer, header.byteOffset).getUint32(4, true);
    if (id === 'data') {
      if (layout === undefined) {
        throw new ApiError('invalid_audio', 'The WAV file has samples before their format.');
      }
      const bytes = size === 0 || size >= PLACEHOLDER_SIZE ? undefined : size;
      yield* decodeInterleaved(reader, layout, { bytes, checkDuration });
      return;
    }
    const body = id === 'fmt ' ? await reader.read(Math.min(size, FORMAT_CHUNK_BYTES)) : new Uint8Array(0);
    if (id === 'fmt ') layout = readFormat(body);
    await reader.skip(size + (size & 1) - body.length);
  }
}

/** Whether the first bytes of a WAV file declare a codec other than PCM, float and G.711. */
export function isCompressedWav(prefix: Uint8Array): boolean {
  const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
  for (let offset = 12; offset + 8 <= prefix.length; ) {
    const size = view.getUint32(offset + 4, true);
    if (view.getUint32(offset, false) === FORMAT_CHUNK_ID) {
      const tag = formatTag(prefix.subarray(offset + 8, offset + 8 + Math.min(size, FORMAT_CHUNK_BYTES)));
      return tag !== undefined && !SUPPORTED_FORMATS.includes(tag);
    }
    offset += 8 + size + (size & 1);
  }
  return false;
}

/** The format tag; for WAVE_FORMAT_EXTENSIBLE the tag at the start of the sub-format. */
function formatTag(chunk: Uint8Array): number | undefined {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (chunk.length < 16) return undefined;
  const tag = view.getUint16(0, true);
  return tag === EXTENSIBLE && chunk.length >= 26 ? view.getUint16(24, true) : tag;
}

function readFormat(chunk: Uint8Array): SampleLayout {
  const tag = formatTag(chunk);
  if (tag === undefined)
    throw new ApiError('invalid_audio', 'The format chunk of the WAV file is truncated.');
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const channels = view.getUint16(2, true);
  const bitsPerSample = view.getUint16(14, true);
  const blockBytes = view.getUint16(12, true);
  // Samples of other widths are left-aligned in a wider container, whose size follows from the block size.
  const isDivisible = channels > 0 && blockBytes > 0 && blockBytes % channels === 0;
  const bytes = isDivisible ? blockBytes / channels : Math.ceil(bitsPerSample / 8);
  const encoding: SampleEncoding = { kind: sampleKind(tag, bytes), bytes, isLittleEndian: true };
  return { encoding, channels, sampleRateHz: view.getUint32(4, true) };
}

function sampleKind(tag: number, bytes: number): SampleEncoding['kind'] {
  switch (tag) {
    case PCM:
      return bytes === 1 ? 'unsigned' : 'signed';
    case FLOAT:
      return 'float';
    case A_LAW:
      return 'a-law';
    case MU_LAW:
      return 'mu-law';
    default:
      throw new ApiError(
        'unsupported_media_type',
        `This WAV file is compressed with a codec this server cannot decode (format tag ${tag}).`,
      );
  }
}
