/** The Ogg container (RFC 3533): pages that carry whole packets of one logical stream. */

const MAX_SEGMENTS = 255;
const HEADER_BYTES = 27;
/** Offset of the checksum in a page. It is computed with zeros in its place. */
export const OGG_CRC_OFFSET = 22;

export interface PageFlags {
  readonly isFirst?: boolean;
  readonly isLast?: boolean;
}

/** The number of lacing values of a packet; a multiple of 255 bytes needs a final 0. */
export function segmentCount(packetBytes: number): number {
  return Math.floor(packetBytes / 255) + 1;
}

/** Writes the pages of one logical stream in order. Packets never span pages. */
export class OggPageWriter {
  readonly #serialNumber: number;
  #sequenceNumber = 0;

  constructor(serialNumber: number) {
    this.#serialNumber = serialNumber;
  }

  /**
   * Writes a page. `granulePosition` is the position of the stream after the last packet. Throws when the packets need
   * more segments than a page has.
   */
  page(packets: readonly Uint8Array[], granulePosition: number, flags: PageFlags = {}): Uint8Array {
    let segments = 0;
    let bodyBytes = 0;
    for (const packet of packets) {
      segments += segmentCount(packet.length);
      bodyBytes += packet.length;
    }
    if (segments > MAX_SEGMENTS) throw new RangeError(`${segments} segments do not fit into an Ogg page.`);

    const page = new Uint8Array(HEADER_BYTES + segments + bodyBytes);
    const view = new DataView(page.buffer);
    page.set([0x4f, 0x67, 0x67, 0x53]);
    page[5] = (flags.isFirst ? 0x02 : 0) | (flags.isLast ? 0x04 : 0);
    view.setUint32(6, granulePosition % 2 ** 32, true);
    view.setUint32(10, Math.floor(granulePosition / 2 ** 32), true);
    view.setUint32(14, this.#serialNumber, true);
    view.setUint32(18, this.#sequenceNumber++, true);
    page[26] = segments;

    let lacing = HEADER_BYTES;
    let offset = HEADER_BYTES + segments;
    for (const packet of packets) {
      const fullSegments = Math.floor(packet.length / 255);
      page.fill(255, lacing, lacing + fullSegments);
      lacing += fullSegments;
      page[lacing++] = packet.length % 255;
      page.set(packet, offset);
      offset += packet.length;
    }
    view.setUint32(OGG_CRC_OFFSET, oggCrc(page), true);
    return page;
  }
}

/** Collects the packets of the next page. */
export class OggPacketBuffer {
  #packets: Uint8Array[] = [];
  #segments = 0;

  get length(): number {
    return this.#packets.length;
  }

  hasSpaceFor(packet: Uint8Array): boolean {
    return this.#segments + segmentCount(packet.length) <= MAX_SEGMENTS;
  }

  push(packet: Uint8Array): void {
    this.#packets.push(packet);
    this.#segments += segmentCount(packet.length);
  }

  take(): Uint8Array[] {
    const packets = this.#packets;
    this.#packets = [];
    this.#segments = 0;
    return packets;
  }
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 24;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder << 1) ^ (remainder < 0 ? 0x04c11db7 : 0);
  return remainder >>> 0;
});

/** The CRC-32 of Ogg: polynomial 04c11db7, not reflected, initial and final value 0. */
export function oggCrc(bytes: Uint8Array): number {
  let crc = 0;
  for (let i = 0; i < bytes.length; i++) {
    crc = (crc << 8) ^ (CRC_TABLE[(crc >>> 24) ^ (bytes[i] as number)] as number);
  }
  return crc >>> 0;
}
