import type { AudioEncoder } from './audio-encoder.ts';
import { FORMATS } from './formats.ts';

/**
 * Rounds float samples to 16 bits. 1.0 is 32768, as decoders take it, so 16-bit audio that was read as
 * floats comes back unchanged; what is out of range is clamped, and not-a-number becomes silence.
 */
export function toInt16(samples: Float32Array): Int16Array {
  const rounded = new Int16Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    // Written out, since this is on the way of every sample: a third of the time of min, max and round.
    const scaled = (samples[i] as number) * 32768;
    rounded[i] = scaled >= 32767 ? 32767 : scaled <= -32768 ? -32768 : Math.floor(scaled + 0.5);
  }
  return rounded;
}

/** Float samples as 16-bit little-endian bytes. */
export function toPcm16Bytes(samples: Float32Array): Uint8Array {
  // Typed arrays have the machine's byte order, which is little-endian wherever Node's binaries we support run.
  return new Uint8Array(toInt16(samples).buffer);
}

/** 16-bit little-endian bytes as float samples. An odd byte at the end is ignored. */
export function fromPcm16Bytes(bytes: Uint8Array): Float32Array {
  const samples = new Float32Array(bytes.length >> 1);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < samples.length; i++) samples[i] = view.getInt16(2 * i, true) / 32768;
  return samples;
}

/** Raw 16-bit little-endian samples without any header. */
export class Pcm16Encoder implements AudioEncoder {
  readonly contentType = FORMATS.pcm.contentType;
  readonly fileExtension = FORMATS.pcm.fileExtension;

  encode(samples: Float32Array): Uint8Array {
    return toPcm16Bytes(samples);
  }

  finish(): Uint8Array {
    return new Uint8Array(0);
  }

  dispose(): void {}
}
