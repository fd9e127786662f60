import { createRequire } from 'node:module';
import { createDecoder } from 'libopus-wasm';
import { MP3_FRAME_SAMPLES, Mp3FrameSplitter } from '../../../src/audio/encode/mp3-frame.ts';
import { fromPcm16Bytes } from '../../../src/audio/encode/pcm16.ts';
import { readWav } from '../../../src/audio/encode/wav.ts';
import { joinSamples } from '../../../src/audio/pcm.ts';

/** A parsed Ogg page. */
export interface OggPage {
  readonly flags: number;
  readonly granulePosition: bigint;
  readonly serialNumber: number;
  readonly sequenceNumber: number;
  readonly packets: readonly Uint8Array[];
  readonly isCrcValid: boolean;
}

/** Parses an Ogg file whose packets do not span pages. Shares no code with the writer. */
export function readOggPages(file: Uint8Array): OggPage[] {
  const pages: OggPage[] = [];
  for (let at = 0; at < file.length; ) {
    const view = new DataView(file.buffer, file.byteOffset + at);
    if (Buffer.from(file.subarray(at, at + 4)).toString() !== 'OggS') throw new Error(`No page at ${at}.`);
    if (view.getUint8(4) !== 0) throw new Error('Unknown Ogg version.');
    const lacing = file.subarray(at + 27, at + 27 + view.getUint8(26));
    const packets: Uint8Array[] = [];
    let start = at + 27 + lacing.length;
    let end = start;
    for (const segment of lacing) {
      end += segment;
      if (segment === 255) continue;
      packets.push(file.subarray(start, end));
      start = end;
    }
    if (start !== end) throw new Error('A packet spans pages.');
    const page = Uint8Array.from(file.subarray(at, end));
    page.fill(0, 22, 26);
    pages.push({
      flags: view.getUint8(5),
      granulePosition: view.getBigUint64(6, true),
      serialNumber: view.getUint32(14, true),
      sequenceNumber: view.getUint32(18, true),
      packets,
      isCrcValid: bitwiseCrc(page) === view.getUint32(22, true),
    });
    at = end;
  }
  return pages;
}

/** The checksum of RFC 3533, computed bit by bit. */
function bitwiseCrc(bytes: Uint8Array): number {
  let register = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const carry = (register >>> 31) ^ ((byte >> bit) & 1);
      register = (register << 1) ^ (carry ? 0x04c11db7 : 0);
    }
  }
  return register >>> 0;
}

/** Decodes Ogg Opus like a player: drops the pre-skip, stops at the last granule position. */
export async function decodeWithLibopus(file: Uint8Array): Promise<Float32Array> {
  const [head, , ...audio] = readOggPages(file);
  const headPacket = head?.packets[0];
  const last = audio.at(-1);
  if (headPacket === undefined || last === undefined) throw new Error('The file ends within its headers.');
  const preSkip = new DataView(headPacket.buffer, headPacket.byteOffset).getUint16(10, true);
  const decoder = await createDecoder({ channels: 1, sampleRate: 48000 });
  try {
    const packets = audio.flatMap((page) => page.packets);
    const decoded = joinSamples(packets.map((packet) => decoder.decodeFloat(packet)));
    return decoded.slice(preSkip, Number(last.granulePosition));
  } finally {
    decoder.free();
  }
}

type Libflac = typeof import('libflacjs/dist/libflac.js');

/** Decodes FLAC with the decoder of the reference library. */
export function decodeWithLibflac(file: Uint8Array): Float32Array {
  const library: Libflac = createRequire(import.meta.url)('libflacjs/dist/libflac.js');
  const decoder = library.create_libflac_decoder(true);
  const parts: Float32Array[] = [];
  const errors: string[] = [];
  let offset = 0;
  library.init_decoder_stream(
    decoder,
    (size) => {
      const buffer = file.slice(offset, offset + size);
      offset += buffer.length;
      return { buffer, readDataLength: buffer.length, error: false };
    },
    (channels) => parts.push(fromPcm16Bytes(channels[0] as Uint8Array)),
    (_, description) => errors.push(`${description}`),
  );
  library.FLAC__stream_decoder_process_until_end_of_stream(decoder);
  library.FLAC__stream_decoder_finish(decoder);
  library.FLAC__stream_decoder_delete(decoder);
  if (errors.length > 0) throw new Error(`FLAC: ${errors.join(', ')}`);
  return joinSamples(parts);
}

/** The number of samples a player decodes from an MP3 file without tags: every frame counts. */
export function mp3SampleCount(file: Uint8Array): number {
  return new Mp3FrameSplitter().push(file).length * MP3_FRAME_SAMPLES;
}

/** The number of samples in a file of any output format, counted without FFmpeg. */
export async function countSamples(file: Uint8Array, fileExtension: string): Promise<number> {
  switch (fileExtension) {
    case 'mp3':
      return mp3SampleCount(file);
    case 'wav':
      return readWav(file).samples.length;
    case 'opus':
      return (await decodeWithLibopus(file)).length;
    case 'flac':
      return decodeWithLibflac(file).length;
    default:
      return file.length / 2;
  }
}
