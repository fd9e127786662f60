import { ApiError } from '../../errors.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ClaimCheck, DecodedAudio } from './decoded-audio.ts';
import type { SampleEncoding } from './sample-encoding.ts';
import { decodeLayout, type SampleLayout } from './sample-layout.ts';

const PCM = 1;
const FLOAT = 3;
const A_LAW = 6;
const MU_LAW = 7;
const EXTENSIBLE = 0xfffe;
const PLAIN_FORMATS = [PCM, FLOAT, A_LAW, MU_LAW];

/** `fmt ` */
const FORMAT_CHUNK_ID = 0x666d7420;

// A format chunk is 16 to 40 bytes; more is not read.
const FORMAT_CHUNK_BYTES = 40;

// Lengths from here on mark a file that was streamed before its length was known.
const PLACEHOLDER_SIZE = 0x7fff_0000;

/** Decodes RIFF, RF64 and BW64 wave files as they arrive. Declared lengths may be refused; else the end of the file decides. */
export async function* decodeWav(
  reader: ByteReader,
  onClaim: ClaimCheck = () => {},
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
        throw new ApiError('invalid_audio', 'The WAV file has samples before it says their format.');
      }
      const bytes = size === 0 || size >= PLACEHOLDER_SIZE ? undefined : size;
      yield* decodeLayout(reader, layout, { bytes, onClaim });
      return;
    }
    const body = id === 'fmt ' ? await reader.read(Math.min(size, FORMAT_CHUNK_BYTES)) : new Uint8Array(0);
    if (id === 'fmt ') layout = readFormat(body);
    await reader.skip(size + (size & 1) - body.length);
  }
}

/** Whether the first bytes of a WAV file name a codec that is not plain samples. */
export function isCompressedWav(prefix: Uint8Array): boolean {
  const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
  for (let offset = 12; offset + 8 <= prefix.length; ) {
    const size = view.getUint32(offset + 4, true);
    if (view.getUint32(offset, false) === FORMAT_CHUNK_ID) {
      const tag = formatTag(prefix.subarray(offset + 8, offset + 8 + Math.min(size, FORMAT_CHUNK_BYTES)));
      return tag !== undefined && !PLAIN_FORMATS.includes(tag);
    }
    offset += 8 + size + (size & 1);
  }
  return false;
}

/** The tag, or the one that an extensible format carries at the start of its sub-format. */
function formatTag(chunk: Uint8Array): number | undefined {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (chunk.length < 16) return undefined;
  const tag = view.getUint16(0, true);
  return tag === EXTENSIBLE && chunk.length >= 26 ? view.getUint16(24, true) : tag;
}

function readFormat(chunk: Uint8Array): SampleLayout {
  const tag = formatTag(chunk);
  if (tag === undefined) throw new ApiError('invalid_audio', 'The WAV file’s format is cut short.');
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const channels = view.getUint16(2, true);
  const bitsPerSample = view.getUint16(14, true);
  const blockBytes = view.getUint16(12, true);
  // Samples of odd widths stand left-aligned in a wider container, whose size the block tells.
  const isWhole = channels > 0 && blockBytes > 0 && blockBytes % channels === 0;
  const bytes = isWhole ? blockBytes / channels : Math.ceil(bitsPerSample / 8);
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
