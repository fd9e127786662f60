import { joinBytes } from '../bytes.ts';
import { OGG_CRC_OFFSET, oggCrc } from '../encode/ogg-writer.ts';
import type { ByteReader } from './byte-reader.ts';

/** A packet of an Ogg file. */
export interface OggPacket {
  readonly bytes: Uint8Array;
  readonly serialNumber: number;
  /** It is the first of its stream. */
  readonly isFirst: boolean;
  /** Where the stream stands after this packet; undefined when the page ends with a later one. */
  readonly granulePosition: number | undefined;
  /** It is the last of its stream. */
  readonly isLast: boolean;
}

const HEADER_BYTES = 27;
const MAX_PAGE_BYTES = HEADER_BYTES + 255 + 255 * 255;
const CAPTURE_PATTERN = [0x4f, 0x67, 0x67, 0x53];
const NO_GRANULE = 2n ** 64n - 1n;

// Comments may hold whole pictures; sound never comes in packets as large.
const MAX_PACKET_BYTES = 2 ** 18;

/** The packets of an Ogg file (RFC 3533), joined across pages. Damaged pages and overlong packets are passed over. */
export async function* readOggPackets(reader: ByteReader): AsyncGenerator<OggPacket> {
  const unfinished = new Map<number, Uint8Array[]>();
  for await (const page of readPages(reader)) {
    const { serialNumber } = page;
    let parts = page.isContinued ? unfinished.get(serialNumber) : [];
    unfinished.delete(serialNumber);
    for (const [index, segment] of page.segments.entries()) {
      if (parts !== undefined && totalBytes(parts) + segment.bytes.length > MAX_PACKET_BYTES)
        parts = undefined;
      parts?.push(segment.bytes);
      if (!segment.isComplete) {
        // Files of strangers may open any number of streams and finish none.
        if (parts !== undefined && unfinished.size < 8) unfinished.set(serialNumber, parts);
        break;
      }
      const isPagesLast = index === page.lastComplete;
      if (parts !== undefined) {
        yield {
          bytes: joinBytes(parts),
          serialNumber,
          isFirst: page.isFirst && index === 0,
          granulePosition: isPagesLast ? page.granulePosition : undefined,
          isLast: page.isLast && isPagesLast,
        };
      }
      parts = [];
    }
  }
}

/** The whole pages of an Ogg file as they are, without what is damaged between them. */
export async function* readWholePages(reader: ByteReader): AsyncGenerator<Uint8Array> {
  for await (const page of readPages(reader)) yield page.bytes;
}

interface OggPage {
  readonly bytes: Uint8Array;
  readonly serialNumber: number;
  readonly isContinued: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly granulePosition: number | undefined;
  /** Whole packets, but the last may go on in the next page. */
  readonly segments: readonly { readonly bytes: Uint8Array; readonly isComplete: boolean }[];
  readonly lastComplete: number;
}

async function* readPages(reader: ByteReader): AsyncGenerator<OggPage> {
  while (true) {
    const bytes = await reader.peek(MAX_PAGE_BYTES);
    if (bytes.length < HEADER_BYTES) return;
    const page = parsePage(bytes);
    if (page === undefined) await reader.skip(bytesToNextCapture(bytes));
    else {
      yield page.content;
      await reader.skip(page.sizeBytes);
    }
  }
}

function parsePage(bytes: Uint8Array): { content: OggPage; sizeBytes: number } | undefined {
  if (!CAPTURE_PATTERN.every((byte, i) => bytes[i] === byte) || bytes[4] !== 0) return undefined;
  const segmentCount = bytes[26] as number;
  const lacing = bytes.subarray(HEADER_BYTES, HEADER_BYTES + segmentCount);
  const bodyStart = HEADER_BYTES + segmentCount;
  const sizeBytes = lacing.reduce((sum, length) => sum + length, bodyStart);
  if (sizeBytes > bytes.length) return undefined;
  const whole = bytes.slice(0, sizeBytes);
  if (!hasRightCrc(whole)) return undefined;

  const view = new DataView(whole.buffer);
  const flags = whole[5] as number;
  const granule = view.getBigUint64(6, true);
  const segments: { bytes: Uint8Array; isComplete: boolean }[] = [];
  let start = bodyStart;
  let end = bodyStart;
  for (const [index, length] of lacing.entries()) {
    end += length;
    const isComplete = length < 255;
    if (!isComplete && index < segmentCount - 1) continue;
    segments.push({ bytes: whole.subarray(start, end), isComplete });
    start = end;
  }
  return {
    sizeBytes,
    content: {
      bytes: whole,
      serialNumber: view.getUint32(14, true),
      isContinued: (flags & 1) !== 0,
      isFirst: (flags & 2) !== 0,
      isLast: (flags & 4) !== 0,
      granulePosition: granule === NO_GRANULE ? undefined : Number(granule),
      segments,
      lastComplete: segments.findLastIndex((segment) => segment.isComplete),
    },
  };
}

function hasRightCrc(page: Uint8Array): boolean {
  const copy = page.slice();
  copy.fill(0, OGG_CRC_OFFSET, OGG_CRC_OFFSET + 4);
  return oggCrc(copy) === new DataView(page.buffer).getUint32(OGG_CRC_OFFSET, true);
}

/** How many bytes to pass over, one at least, to where a page may begin. */
function bytesToNextCapture(bytes: Uint8Array): number {
  const next = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf('OggS', 1, 'latin1');
  return next === -1 ? Math.max(1, bytes.length - CAPTURE_PATTERN.length + 1) : next;
}

function totalBytes(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
