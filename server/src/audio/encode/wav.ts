import { joinBytes } from '../bytes.ts';
import { FORMATS } from '../formats.ts';
import type { Pcm } from '../pcm.ts';
import type { AudioEncoder } from './audio-encoder.ts';
import { fromPcm16Bytes, toPcm16Bytes } from './pcm16.ts';

const HEADER_BYTES = 44;

/** The lengths a streamed WAV declares. Its total is unknown when the header goes out; clients of the API know these. */
export const STREAMED_RIFF_SIZE = 4294967076;
export const STREAMED_DATA_SIZE = 4294967040;

function wavHeader(sampleRateHz: number, riffSize: number, dataSize: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  const bytesPerSample = 2;
  writeAscii(bytes, 0, 'RIFF');
  view.setUint32(4, riffSize, true);
  writeAscii(bytes, 8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * bytesPerSample, true);
  view.setUint16(32, bytesPerSample, true);
  view.setUint16(34, 8 * bytesPerSample, true);
  writeAscii(bytes, 36, 'data');
  view.setUint32(40, dataSize, true);
  return bytes;
}

function writeAscii(bytes: Uint8Array, offset: number, text: string): void {
  for (let i = 0; i < text.length; i++) bytes[offset + i] = text.charCodeAt(i);
}

/** Streams WAV: 16-bit mono behind a 44-byte header with placeholder lengths. */
export class WavEncoder implements AudioEncoder {
  readonly contentType = FORMATS.wav.contentType;
  readonly fileExtension = FORMATS.wav.fileExtension;
  #header: Uint8Array | undefined;

  constructor(sampleRateHz: number) {
    this.#header = wavHeader(sampleRateHz, STREAMED_RIFF_SIZE, STREAMED_DATA_SIZE);
  }

  encode(samples: Float32Array): Uint8Array {
    return this.#withHeader(toPcm16Bytes(samples));
  }

  finish(): Uint8Array {
    return this.#withHeader(new Uint8Array(0));
  }

  dispose(): void {}

  #withHeader(body: Uint8Array): Uint8Array {
    const header = this.#header;
    if (header === undefined) return body;
    this.#header = undefined;
    return joinBytes([header, body]);
  }
}

/** A whole clip as a WAV file with its true lengths. */
export function encodeWavFile(pcm: Pcm): Uint8Array {
  const body = toPcm16Bytes(pcm.samples);
  return joinBytes([wavHeader(pcm.sampleRateHz, HEADER_BYTES - 8 + body.length, body.length), body]);
}

/** What a WAV file says about itself, and where its samples lie. */
export interface WavLayout {
  readonly sampleRateHz: number;
  readonly channels: number;
  readonly bitsPerSample: number;
  /** As declared; a streamed file declares more than it has. */
  readonly declaredDataBytes: number;
  readonly dataOffset: number;
  /** What is really there. */
  readonly dataBytes: number;
}

/** Finds the format and the samples of a WAV file, whatever chunks stand between. Throws when it is none. */
export function parseWav(bytes: Uint8Array): WavLayout {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || readAscii(bytes, 0) !== 'RIFF' || readAscii(bytes, 8) !== 'WAVE') {
    throw new Error('Not a WAV file: it does not start with RIFF and WAVE.');
  }
  let format: Pick<WavLayout, 'sampleRateHz' | 'channels' | 'bitsPerSample'> | undefined;
  for (let offset = 12; offset + 8 <= bytes.length; ) {
    const id = readAscii(bytes, offset);
    const declared = view.getUint32(offset + 4, true);
    const start = offset + 8;
    if (id === 'fmt ') {
      if (declared < 16 || start + 16 > bytes.length) throw new Error('The WAV format chunk is cut short.');
      format = {
        channels: view.getUint16(start + 2, true),
        sampleRateHz: view.getUint32(start + 4, true),
        bitsPerSample: view.getUint16(start + 14, true),
      };
    } else if (id === 'data') {
      if (format === undefined) throw new Error('The WAV file has samples before it says their format.');
      const dataBytes = Math.min(declared, bytes.length - start);
      return { ...format, declaredDataBytes: declared, dataOffset: start, dataBytes };
    }
    offset = start + declared + (declared & 1);
  }
  throw new Error('The WAV file has no samples chunk.');
}

function readAscii(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}

/** Reads a mono 16-bit WAV file, streamed or whole. Throws on any other kind. */
export function readWav(bytes: Uint8Array): Pcm {
  const layout = parseWav(bytes);
  if (layout.channels !== 1 || layout.bitsPerSample !== 16) {
    throw new Error(
      `Expected mono 16-bit WAV, got ${layout.channels} channels of ${layout.bitsPerSample} bits.`,
    );
  }
  const data = bytes.subarray(layout.dataOffset, layout.dataOffset + layout.dataBytes);
  return { samples: fromPcm16Bytes(data), sampleRateHz: layout.sampleRateHz };
}
