import { FORMATS } from '../formats.ts';
import { createPcm16Kernel } from '../kernels/pcm16-kernel.ts';
import type { AudioEncoder } from './audio-encoder.ts';

const BLOCK_SAMPLES = 8192;
const kernel = createPcm16Kernel(BLOCK_SAMPLES);

/**
 * Rounds float samples to 16 bits. 1.0 is 32768, as in decoders, so that 16-bit audio survives the conversion to floats
 * and back unchanged. Values out of range are clamped; NaN becomes 0.
 */
export function toInt16(samples: Float32Array): Int16Array {
  const rounded = new Int16Array(samples.length);
  for (let from = 0; from < samples.length; from += BLOCK_SAMPLES) {
    const block = samples.subarray(from, from + BLOCK_SAMPLES);
    kernel.floats.set(block);
    kernel.round(block.length);
    rounded.set(kernel.integers.subarray(0, block.length), from);
  }
  return rounded;
}

/** Converts float samples to 16-bit little-endian bytes. */
export function toPcm16Bytes(samples: Float32Array): Uint8Array {
  // Typed arrays have the byte order of the machine; it is little-endian on every platform this server supports.
  return new Uint8Array(toInt16(samples).buffer);
}

/** Converts 16-bit little-endian bytes to float samples. An odd byte at the end is ignored. */
export function fromPcm16Bytes(bytes: Uint8Array): Float32Array {
  const samples = new Float32Array(bytes.length >> 1);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < samples.length; i++) samples[i] = view.getInt16(2 * i, true) / 32768;
  return samples;
}

/** Encodes raw 16-bit little-endian samples without a header. */
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
