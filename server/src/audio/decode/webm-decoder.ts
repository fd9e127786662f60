import { ApiError } from '../../errors.ts';
import type { ByteReader } from './byte-reader.ts';
import type { DecodedAudio } from './decoded-audio.ts';
import { parseChildren, parseUnsigned, parseVint, readElement } from './ebml.ts';
import { OpusStream, readOpusHead } from './opus-stream.ts';

// Matroska element ids (RFC 9559).
const SEGMENT = 0x18538067;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const TRACK_NUMBER = 0xd7;
const CODEC_ID = 0x86;
const CODEC_PRIVATE = 0x63a2;
const CLUSTER = 0x1f43b675;
const BLOCK_GROUP = 0xa0;
const SIMPLE_BLOCK = 0xa3;
const BLOCK = 0xa1;
const DISCARD_PADDING = 0x75a2;

const OPUS = 'A_OPUS';
const LACING_BITS = 0x06;
const MAX_TRACKS_BYTES = 2 ** 20;
const MAX_BLOCK_BYTES = 2 ** 18;
/** Elements with less content than this are small. Blocks of video have more. */
const SMALL_BYTES = 16;
/** Maximum number of small elements of a file, and for each packet of audio. They take CPU time and contain no audio. */
const SMALL_ELEMENTS_MAX = 20_000;
const SMALL_ELEMENTS_PER_PACKET_MAX = 16;

/** Whether the first bytes of a WebM or Matroska file declare an Opus track. */
export function hasOpusTrack(prefix: Uint8Array): boolean {
  return Buffer.from(prefix.buffer, prefix.byteOffset, prefix.length).includes(OPUS, 0, 'latin1');
}

/**
 * Decodes the first Opus track of a WebM or Matroska stream. The sizes of segments, clusters and block groups are ignored,
 * because recordings of browsers leave them unknown.
 */
export async function* decodeWebmOpus(reader: ByteReader): AsyncGenerator<DecodedAudio> {
  let stream: OpusStream | undefined;
  let trackNumber: number | undefined;
  let smallElementsLeft = SMALL_ELEMENTS_MAX;
  try {
    for (let element = await readElement(reader); element; element = await readElement(reader)) {
      const { id, sizeBytes } = element;
      const isSmall = isContainer(id) || (sizeBytes ?? 0) < SMALL_BYTES;
      if (isSmall && --smallElementsLeft < 0)
        throw new ApiError('invalid_audio', 'The WebM file has too many elements without audio.');
      if (isContainer(id)) continue;
      if (sizeBytes === undefined) break;
      if (id === TRACKS && stream === undefined && sizeBytes <= MAX_TRACKS_BYTES) {
        const track = findOpusTrack(await reader.read(sizeBytes));
        trackNumber = track.number;
        stream = await OpusStream.open(readOpusHead(track.head));
      } else if (
        (id === SIMPLE_BLOCK || id === BLOCK) &&
        stream !== undefined &&
        sizeBytes <= MAX_BLOCK_BYTES
      ) {
        const block = await reader.read(sizeBytes);
        const { totalFrames } = stream;
        if (block.length === sizeBytes) pushBlock(stream, trackNumber, block);
        if (stream.totalFrames > totalFrames) smallElementsLeft += SMALL_ELEMENTS_PER_PACKET_MAX;
        const chunk = stream.takeChunk();
        if (chunk !== undefined) yield chunk;
      } else if (id === DISCARD_PADDING && stream !== undefined && sizeBytes <= 8) {
        const nanoseconds = parseUnsigned(await reader.read(sizeBytes));
        stream.dropLast(Math.round((nanoseconds * 48000) / 1e9));
      } else if ((await reader.skip(sizeBytes)) < sizeBytes) break;
    }
    const remaining = stream?.takeRemaining();
    if (remaining !== undefined) yield remaining;
  } finally {
    stream?.close();
  }
}

function findOpusTrack(tracks: Uint8Array): { number: number; head: Uint8Array } {
  for (const { id, content } of parseChildren(tracks)) {
    if (id !== TRACK_ENTRY) continue;
    const fields = new Map([...parseChildren(content)].map((field) => [field.id, field.content]));
    const number = fields.get(TRACK_NUMBER);
    const head = fields.get(CODEC_PRIVATE);
    const codec = String.fromCharCode(...(fields.get(CODEC_ID) ?? []).slice(0, 64)).replace(/\0+$/, '');
    if (codec === OPUS && number !== undefined && head !== undefined) {
      return { number: parseUnsigned(number), head };
    }
  }
  throw new ApiError('invalid_audio', 'The WebM file has no valid Opus track.');
}

function pushBlock(stream: OpusStream, trackNumber: number | undefined, block: Uint8Array): void {
  const number = parseVint(block, 0);
  if (number === undefined || number.value !== trackNumber) return;
  // Two bytes of time and one of flags precede the packet.
  const flags = block[number.bytes + 2] ?? 0;
  if ((flags & LACING_BITS) !== 0) {
    throw new ApiError('unsupported_media_type', 'This server does not decode WebM with laced blocks.');
  }
  stream.push(block.subarray(number.bytes + 3));
}

/** Elements whose content is read as if it were outside of them. */
function isContainer(id: number): boolean {
  return id === SEGMENT || id === CLUSTER || id === BLOCK_GROUP;
}
