import { MynahError } from '../errors.ts';

/** 16-bit samples of a WAV stream. */
export interface WavChunk {
  readonly sampleRateHz: number;
  readonly channels: number;
  /** Interleaved, in [-1, 1). */
  readonly samples: Float32Array;
}

const HEADER_MAX_BYTES = 4096;

/** Decodes 16-bit WAV as it arrives. Throws for other formats. */
export async function* readWav(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<WavChunk, void> {
  let pending = new Uint8Array(0);
  let format: Omit<WavChunk, 'samples'> | undefined;
  for await (const chunk of bytes) {
    pending = joined(pending, chunk);
    if (format === undefined) {
      const header = readHeader(pending);
      if (header === undefined && pending.length < HEADER_MAX_BYTES) continue;
      if (header === undefined) throw new MynahError('The audio is not a 16-bit WAV stream.');
      ({ format } = header);
      pending = pending.subarray(header.length);
    }
    const frameBytes = 2 * format.channels;
    const length = pending.length - (pending.length % frameBytes);
    if (length > 0) yield { ...format, samples: toSamples(pending.subarray(0, length)) };
    pending = pending.slice(length);
  }
}

/** The header; undefined until it is complete. */
function readHeader(bytes: Uint8Array): { format: Omit<WavChunk, 'samples'>; length: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: Omit<WavChunk, 'samples'> | undefined;
  for (let at = 12; at + 8 <= bytes.length; at += 8 + view.getUint32(at + 4, true)) {
    const name = String.fromCharCode(...bytes.subarray(at, at + 4));
    if (name === 'data') return format && { format, length: at + 8 };
    if (name !== 'fmt ' || at + 24 > bytes.length) continue;
    if (view.getUint16(at + 8, true) !== 1 || view.getUint16(at + 22, true) !== 16) return undefined;
    format = { channels: view.getUint16(at + 10, true), sampleRateHz: view.getUint32(at + 12, true) };
  }
  return undefined;
}

function toSamples(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from(
    { length: bytes.length / 2 },
    (_, index) => view.getInt16(2 * index, true) / 32768,
  );
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(before.length + after.length);
  whole.set(before);
  whole.set(after, before.length);
  return whole;
}
