import { formatInfoOf, type TelephoneFormat } from '../formats.ts';
import type { AudioEncoder } from './audio-encoder.ts';
import { toInt16 } from './pcm16.ts';

/** ITU-T G.711: a bias of 132 on 16-bit samples, and a maximum that keeps the sum within 15 bits. */
const ULAW_BIAS = 132;
const ULAW_MAX = 32635;

/** Encodes 8 bits per sample as in ITU-T G.711, without a header. */
export class TelephoneEncoder implements AudioEncoder {
  readonly contentType: string;
  readonly fileExtension: string;
  readonly #encodeSample: (sample: number) => number;

  constructor(format: TelephoneFormat) {
    const { contentType, fileExtension } = formatInfoOf(format);
    this.contentType = contentType;
    this.fileExtension = fileExtension;
    this.#encodeSample = format === 'ulaw' ? toUlaw : toAlaw;
  }

  encode(samples: Float32Array): Uint8Array {
    return Uint8Array.from(toInt16(samples), this.#encodeSample);
  }

  finish(): Uint8Array {
    return new Uint8Array(0);
  }

  dispose(): void {}
}

function toUlaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const biased = Math.min(Math.abs(sample), ULAW_MAX) + ULAW_BIAS;
  const exponent = 24 - Math.clz32(biased);
  const mantissa = (biased >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

function toAlaw(sample: number): number {
  // Negative values are complemented, so that -1 and 0 are the smallest magnitudes.
  const sign = sample < 0 ? 0 : 0x80;
  const magnitude = sample < 0 ? ~sample : sample;
  const exponent = Math.max(0, 24 - Math.clz32(magnitude));
  const mantissa = (magnitude >> (Math.max(1, exponent) + 3)) & 0x0f;
  return (sign | (exponent << 4) | mantissa) ^ 0x55;
}
