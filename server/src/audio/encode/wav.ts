import { joinBytes } from '../bytes.ts';
import { FORMATS } from '../formats.ts';
import type { Pcm } from '../pcm.ts';
import type { AudioEncoder } from './audio-encoder.ts';
import { fromPcm16Bytes, toPcm16Bytes } from './pcm16.ts';

const HEADER_BYTES = 44;

/** The placeholder sizes of a streamed WAV, whose length is unknown when the header is sent. Defined by the Fish Audio API. */
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

/** The header of a mono 16-bit WAV file of unknown length. */
export function streamedWavHeader(sampleRateHz: number): Uint8Array {
  return wavHeader(sampleRateHz, STREAMED_RIFF_SIZE, STREAMED_DATA_SIZE);
}

/** Encodes streamed WAV: a 44-byte header with placeholder sizes, then 16-bit mono samples. */
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

/** Encodes a clip as a WAV file with its actual sizes. */
export function encodeWavFile(pcm: Pcm): Uint8Array {
  const body = toPcm16Bytes(pcm.samples);
  return joinBytes([wavHeader(pcm.sampleRateHz, HEADER_BYTES - 8 + body.length, body.length), body]);
}

/** The format of a WAV file and the position of its samples. */
export interface WavLayout {
  readonly sampleRateHz: number;
  readonly channels: number;
  readonly bitsPerSample: number;
  /** The size in the header; larger than the actual size in a streamed file. */
  readonly declaredDataBytes: number;
  readonly dataOffset: number;
  /** The actual size. */
  readonly dataBytes: number;
}

/** Parses the format and finds the samples of a WAV file. Other chunks are skipped. Throws on an invalid file. */
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
      if (declared < 16 || start + 16 > bytes.length) throw new Error('The WAV format chunk is truncated.');
      format = {
        channels: view.getUint16(start + 2, true),
        sampleRateHz: view.getUint32(start + 4, true),
        bitsPerSample: view.getUint16(start + 14, true),
      };
    } else if (id === 'data') {
      if (format === undefined) throw new Error('The WAV file has samples before their format.');
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

/** Decodes a mono 16-bit WAV file, streamed or not. Throws on any other format. */
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
