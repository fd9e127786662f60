import type { ByteReader } from './byte-reader.ts';
import type { DecodedAudio } from './decoded-audio.ts';
import { readOggPackets } from './ogg-pages.ts';
import { OpusStream, readOpusHead } from './opus-stream.ts';

/** Decodes Opus in Ogg (RFC 7845), including chained streams. Other logical streams are ignored. */
export async function* decodeOggOpus(reader: ByteReader): AsyncGenerator<DecodedAudio> {
  let stream: OpusStream | undefined;
  let serialNumber: number | undefined;
  let preSkip = 0;
  let isPastTags = false;
  try {
    for await (const packet of readOggPackets(reader)) {
      if (startsWith(packet.bytes, 'OpusHead') && (packet.isFirst || stream === undefined)) {
        yield* remainingAudio(stream);
        stream?.close();
        const head = readOpusHead(packet.bytes);
        stream = await OpusStream.open(head);
        ({ serialNumber } = packet);
        ({ preSkip } = head);
        isPastTags = false;
        continue;
      }
      if (stream === undefined || packet.serialNumber !== serialNumber) continue;
      if (!isPastTags) {
        isPastTags = true;
        if (startsWith(packet.bytes, 'OpusTags')) continue;
      }
      stream.push(packet.bytes);
      if (packet.isLast && packet.granulePosition !== undefined) {
        // The granule position of the last page gives the padding in the last packet.
        const excess = stream.totalFrames - (packet.granulePosition - preSkip);
        if (excess > 0) stream.dropLast(excess);
      }
      const chunk = stream.takeChunk();
      if (chunk !== undefined) yield chunk;
    }
    yield* remainingAudio(stream);
  } finally {
    stream?.close();
  }
}

function* remainingAudio(stream: OpusStream | undefined): Generator<DecodedAudio> {
  const chunk = stream?.takeRemaining();
  if (chunk !== undefined) yield chunk;
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return bytes.length >= text.length && [...text].every((letter, i) => bytes[i] === letter.charCodeAt(0));
}
