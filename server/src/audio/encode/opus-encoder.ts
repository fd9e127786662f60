import type { OpusEncoderHandle } from 'libopus-wasm';
import { ByteSink } from '../bytes.ts';
import { FORMATS } from '../formats.ts';
import { loadLibopus } from '../libopus.ts';
import type { AudioEncoder } from './audio-encoder.ts';
import { OggPacketBuffer, OggPageWriter } from './ogg-writer.ts';

const SAMPLE_RATE_HZ = 48000;
const FRAME_SAMPLES = 960;

// The default of libopus, 10, costs twice the CPU of 5 without an audible gain for speech.
const COMPLEXITY = 5;

// Constant, so that equal requests give equal bytes.
const SERIAL_NUMBER = 0x6d796e61;

const VENDOR = 'mynah';

export interface OpusOptions {
  readonly bitrateBps: number | 'auto';
}

/** Creates an encoder for Opus in Ogg. Takes mono samples at 48 kHz. */
export async function createOpusEncoder(options: OpusOptions): Promise<AudioEncoder> {
  const { Application, createEncoder, Signal } = await loadLibopus();
  const codec = await createEncoder({
    channels: 1,
    sampleRate: SAMPLE_RATE_HZ,
    frameSize: FRAME_SAMPLES,
    application: Application.Audio,
    signal: Signal.Voice,
    bitrate: options.bitrateBps,
    complexity: COMPLEXITY,
  });
  return new OggOpusEncoder(codec);
}

/**
 * Ogg Opus (RFC 7845). The pre-skip removes the look-ahead of the codec and the last granule position removes the padding
 * of the last frame, so that a player decodes exactly the input samples.
 */
class OggOpusEncoder implements AudioEncoder {
  readonly contentType = FORMATS.opus.contentType;
  readonly fileExtension = FORMATS.opus.fileExtension;
  readonly #codec: OpusEncoderHandle;
  readonly #preSkip: number;
  readonly #pages = new OggPageWriter(SERIAL_NUMBER);
  readonly #packets = new OggPacketBuffer();
  readonly #out = new ByteSink();
  readonly #frame = new Float32Array(FRAME_SAMPLES);
  #frameFill = 0;
  #inputSamples = 0;
  #packetsEncoded = 0;

  constructor(codec: OpusEncoderHandle) {
    this.#codec = codec;
    this.#preSkip = codec.getLookahead();
    this.#out.push(this.#pages.page([opusHead(this.#preSkip)], 0, { isFirst: true }));
    this.#out.push(this.#pages.page([opusTags()], 0));
  }

  encode(samples: Float32Array): Uint8Array {
    this.#inputSamples += samples.length;
    for (let offset = 0; offset < samples.length; ) {
      const count = Math.min(FRAME_SAMPLES - this.#frameFill, samples.length - offset);
      this.#frame.set(samples.subarray(offset, offset + count), this.#frameFill);
      this.#frameFill += count;
      offset += count;
      if (this.#frameFill === FRAME_SAMPLES) this.#encodeFrame();
    }
    return this.#out.take();
  }

  finish(): Uint8Array {
    // At least one more frame: the look-ahead extends beyond the last whole frame.
    const packetsNeeded = Math.ceil((this.#preSkip + this.#inputSamples) / FRAME_SAMPLES);
    while (this.#packetsEncoded < packetsNeeded) this.#encodeFrame();
    const end = this.#preSkip + this.#inputSamples;
    this.#out.push(this.#pages.page(this.#packets.take(), end, { isLast: true }));
    this.dispose();
    return this.#out.take();
  }

  dispose(): void {
    this.#codec.free();
  }

  /** Encodes the frame, padded with silence. */
  #encodeFrame(): void {
    this.#frame.fill(0, this.#frameFill);
    this.#frameFill = 0;
    const packet = this.#codec.encodeFloat(this.#frame);
    if (this.#packets.length >= this.#packetsPerPage() || !this.#packets.hasSpaceFor(packet)) {
      this.#out.push(this.#pages.page(this.#packets.take(), this.#packetsEncoded * FRAME_SAMPLES));
    }
    this.#packets.push(packet);
    this.#packetsEncoded++;
  }

  /** Small pages let a player start after 100 ms; after the first second, larger pages save overhead. */
  #packetsPerPage(): number {
    if (this.#packetsEncoded <= 5) return 5;
    return this.#packetsEncoded <= 50 ? 10 : 50;
  }
}

function opusHead(preSkip: number): Uint8Array {
  const bytes = new Uint8Array(19);
  const view = new DataView(bytes.buffer);
  new TextEncoder().encodeInto('OpusHead', bytes);
  bytes[8] = 1;
  bytes[9] = 1;
  view.setUint16(10, preSkip, true);
  view.setUint32(12, SAMPLE_RATE_HZ, true);
  return bytes;
}

function opusTags(): Uint8Array {
  const bytes = new Uint8Array(8 + 4 + VENDOR.length + 4);
  const view = new DataView(bytes.buffer);
  new TextEncoder().encodeInto('OpusTags', bytes);
  view.setUint32(8, VENDOR.length, true);
  new TextEncoder().encodeInto(VENDOR, bytes.subarray(12));
  return bytes;
}
