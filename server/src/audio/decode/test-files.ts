import { joinSamples } from '../test-signals.ts';
import { type DecodedAudio, type DecodeOptions, decodeAudio } from './decode-audio.ts';

/** A file as a stream of parts of the given size. */
export async function* inParts(file: Uint8Array, partBytes = 4096): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < file.length; offset += partBytes) {
    yield file.subarray(offset, offset + partBytes);
  }
}

/** What a whole file decodes to. */
export interface DecodedFile {
  readonly channels: readonly Float32Array[];
  readonly sampleRateHz: number;
  readonly chunks: readonly DecodedAudio[];
}

/** Decodes a whole file and joins the chunks. */
export async function decodeFile(
  file: Uint8Array,
  options: DecodeOptions & { readonly partBytes?: number } = {},
): Promise<DecodedFile> {
  const chunks: DecodedAudio[] = [];
  for await (const chunk of decodeAudio(inParts(file, options.partBytes), options)) chunks.push(chunk);
  const { channels, sampleRateHz } = chunks[0] as DecodedAudio;
  return {
    channels: channels.map((_, channel) =>
      joinSamples(chunks.map((chunk) => chunk.channels[channel] as Float32Array)),
    ),
    sampleRateHz,
    chunks,
  };
}

/** What a WAV file for tests shall say and hold. */
export interface WavParts {
  readonly tag: number;
  readonly bitsPerSample: number;
  readonly channels?: number;
  readonly sampleRateHz?: number;
  readonly data: Uint8Array;
  /** As the header declares them. */
  readonly riffId?: string;
  readonly dataSize?: number;
  readonly isExtensible?: boolean;
  /** Stands before the samples. */
  readonly extraChunk?: Uint8Array;
}

/** Writes a WAV file of any kind, right or wrong. Shares no code with the reader. */
export function wavFile(parts: WavParts): Uint8Array {
  const { channels = 1, sampleRateHz = 16000, data, bitsPerSample } = parts;
  const format = Buffer.alloc(parts.isExtensible ? 40 : 16);
  const blockBytes = (channels * bitsPerSample) / 8;
  format.writeUInt16LE(parts.isExtensible ? 0xfffe : parts.tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(sampleRateHz, 4);
  format.writeUInt32LE((sampleRateHz * blockBytes) >>> 0, 8);
  format.writeUInt16LE(blockBytes & 0xffff, 12);
  format.writeUInt16LE(bitsPerSample, 14);
  if (parts.isExtensible) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(bitsPerSample, 18);
    format.writeUInt16LE(parts.tag, 24);
    format.write('\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71', 26, 'latin1');
  }
  const extra = parts.extraChunk === undefined ? [] : [riffChunk('LIST', parts.extraChunk)];
  const body = [riffChunk('fmt ', format), ...extra, riffChunk('data', data, parts.dataSize)];
  const header = Buffer.alloc(12);
  header.write(parts.riffId ?? 'RIFF', 0, 'latin1');
  header.writeUInt32LE(4 + body.reduce((sum, chunk) => sum + chunk.length, 0), 4);
  header.write('WAVE', 8, 'latin1');
  return Buffer.concat([header, ...body]);
}

function riffChunk(id: string, body: Uint8Array, declaredSize = body.length): Uint8Array {
  const header = Buffer.alloc(8);
  header.write(id, 0, 'latin1');
  header.writeUInt32LE(declaredSize, 4);
  return Buffer.concat([header, body, Buffer.alloc(body.length & 1)]);
}
