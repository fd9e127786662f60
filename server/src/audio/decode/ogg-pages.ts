import { joinBytes } from '../bytes.ts';
import { OGG_CRC_OFFSET, oggCrc } from '../encode/ogg-writer.ts';
import type { ByteReader } from './byte-reader.ts';

/** A packet of an Ogg file. */
export interface OggPacket {
  readonly bytes: Uint8Array;
  readonly serialNumber: number;
  /** Whether it is the first packet of its stream. */
  readonly isFirst: boolean;
  /** The position of the stream after this packet; undefined unless it is the last packet of its page. */
  readonly granulePosition: number | undefined;
  /** Whether it is the last packet of its stream. */
  readonly isLast: boolean;
}

const HEADER_BYTES = 27;
const MAX_PAGE_BYTES = HEADER_BYTES + 255 + 255 * 255;
const CAPTURE_PATTERN = [0x4f, 0x67, 0x67, 0x53];
const NO_GRANULE = 2n ** 64n - 1n;

// Bounds the work for crafted headers, each of which declares a long page: the checksum of a page covers all its bytes.
const MAX_CANDIDATES_IN_DAMAGE = 16;

// Comment packets may contain pictures; audio packets are never this large.
const MAX_PACKET_BYTES = 2 ** 18;

/** The packets of an Ogg stream (RFC 3533), joined across pages. Damaged pages and oversized packets are skipped. */
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
        // Bounds the memory for a file with many streams of unfinished packets.
        if (parts !== undefined && unfinished.size < 8) unfinished.set(serialNumber, parts);
        break;
      }
      const isLastOfPage = index === page.lastComplete;
      if (parts !== undefined) {
        yield {
          bytes: joinBytes(parts),
          serialNumber,
          isFirst: page.isFirst && index === 0,
          granulePosition: isLastOfPage ? page.granulePosition : undefined,
          isLast: page.isLast && isLastOfPage,
        };
      }
      parts = [];
    }
  }
}

/** The valid pages of an Ogg stream as raw bytes. */
export async function* readValidPages(reader: ByteReader): AsyncGenerator<Uint8Array> {
  for await (const page of readPages(reader)) yield page.bytes;
}

interface OggPage {
  readonly bytes: Uint8Array;
  readonly serialNumber: number;
  readonly isContinued: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly granulePosition: number | undefined;
  /** Packets; the last may continue on the next page. */
  readonly segments: readonly { readonly bytes: Uint8Array; readonly isComplete: boolean }[];
  readonly lastComplete: number;
}

async function* readPages(reader: ByteReader): AsyncGenerator<OggPage> {
  /** Bytes up to the end of the last damaged page, and the damaged pages that begin before it. */
  let damagedBytes = 0;
  let candidates = 0;
  while (true) {
    const bytes = await reader.peek(MAX_PAGE_BYTES);
    if (bytes.length < HEADER_BYTES) return;
    const page = parsePage(bytes);
    if (page?.content !== undefined) {
      yield page.content;
      damagedBytes -= await reader.skip(page.sizeBytes);
      continue;
    }
    if (page !== undefined) {
      candidates = damagedBytes > 0 ? candidates + 1 : 1;
      damagedBytes = Math.max(damagedBytes, candidates === 1 ? page.sizeBytes : 0);
    }
    const isExhausted = damagedBytes > 0 && candidates > MAX_CANDIDATES_IN_DAMAGE;
    damagedBytes -= await reader.skip(isExhausted ? damagedBytes : bytesToNextCapture(bytes));
  }
}

/** The page at the start of the bytes; its content is undefined where the checksum differs. */
function parsePage(
  bytes: Uint8Array,
): { readonly content: OggPage | undefined; readonly sizeBytes: number } | undefined {
  if (!CAPTURE_PATTERN.every((byte, i) => bytes[i] === byte) || bytes[4] !== 0) return undefined;
  const segmentCount = bytes[26] as number;
  const lacing = bytes.subarray(HEADER_BYTES, HEADER_BYTES + segmentCount);
  const bodyStart = HEADER_BYTES + segmentCount;
  const sizeBytes = lacing.reduce((sum, length) => sum + length, bodyStart);
  if (sizeBytes > bytes.length) return undefined;
  const whole = bytes.slice(0, sizeBytes);
  if (!hasValidCrc(whole)) return { sizeBytes, content: undefined };

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

function hasValidCrc(page: Uint8Array): boolean {
  const copy = page.slice();
  copy.fill(0, OGG_CRC_OFFSET, OGG_CRC_OFFSET + 4);
  return oggCrc(copy) === new DataView(page.buffer).getUint32(OGG_CRC_OFFSET, true);
}

/** The distance to the next capture pattern, at least one byte. */
function bytesToNextCapture(bytes: Uint8Array): number {
  const next = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf('OggS', 1, 'latin1');
  return next === -1 ? Math.max(1, bytes.length - CAPTURE_PATTERN.length + 1) : next;
}

function totalBytes(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
