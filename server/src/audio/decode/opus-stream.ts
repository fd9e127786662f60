import type { OpusDecoderHandle } from 'libopus-wasm';
import { ApiError } from '../../errors.ts';
import { type Libopus, loadLibopus } from '../libopus.ts';
import type { DecodedAudio } from './decoded-audio.ts';

const SAMPLE_RATE_HZ = 48000;

// A third of a second: the overhead per chunk is small.
const CHUNK_FRAMES = 16384;

/** The identification header `OpusHead` (RFC 7845, section 5.1). WebM contains the same header. */
export interface OpusHead {
  readonly channels: 1 | 2;
  readonly preSkip: number;
  /** In units of 1/256 dB. */
  readonly outputGain: number;
}

/** Reads the identification header. Throws `unsupported_media_type` for more than two channels. */
export function readOpusHead(packet: Uint8Array): OpusHead {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  if (packet.length < 19) throw new ApiError('invalid_audio', 'The Opus header is truncated.');
  const channels = packet[9] as number;
  if (channels !== 1 && channels !== 2) {
    throw new ApiError(
      'unsupported_media_type',
      `This server decodes Opus with one or two channels, not ${channels}.`,
    );
  }
  return { channels, preSkip: view.getUint16(10, true), outputGain: view.getInt16(16, true) };
}

/** Decodes the packets of one Opus stream into chunks of samples. */
export class OpusStream {
  readonly #decoder: OpusDecoderHandle;
  readonly #isOpusError: Libopus['isOpusError'];
  readonly #channels: number;
  #parts: Float32Array[] = [];
  #frames = 0;
  /** Frames of the pre-skip that are still to be dropped. */
  #preSkip: number;
  #totalFrames = 0;

  private constructor(decoder: OpusDecoderHandle, { isOpusError }: Libopus, head: OpusHead) {
    this.#decoder = decoder;
    this.#isOpusError = isOpusError;
    this.#channels = head.channels;
    this.#preSkip = head.preSkip;
  }

  static async open(head: OpusHead): Promise<OpusStream> {
    const libopus = await loadLibopus();
    const decoder = await libopus.createDecoder({ channels: head.channels, sampleRate: SAMPLE_RATE_HZ });
    if (head.outputGain !== 0) decoder.decoderCtl(libopus.DecoderCtl.SetGain, head.outputGain);
    return new OpusStream(decoder, libopus, head);
  }

  /** Total decoded frames, without the pre-skip. */
  get totalFrames(): number {
    return this.#totalFrames;
  }

  /** Decodes a packet. A damaged packet gives no samples. */
  push(packet: Uint8Array): void {
    const samples = this.#decode(packet);
    const frames = samples.length / this.#channels;
    const dropped = Math.min(this.#preSkip, frames);
    this.#preSkip -= dropped;
    if (frames === dropped) return;
    this.#parts.push(samples.subarray(dropped * this.#channels));
    this.#frames += frames - dropped;
    this.#totalFrames += frames - dropped;
  }

  /** Drops the last frames that were not yet taken. */
  dropLast(frames: number): void {
    let excess = Math.min(frames, this.#frames);
    this.#frames -= excess;
    this.#totalFrames -= excess;
    // From the end: a file can drop a frame after every packet, and a copy of all others would take the square of its size.
    while (excess > 0) {
      const last = this.#parts.pop()!;
      const dropped = Math.min(excess, last.length / this.#channels);
      if (dropped * this.#channels < last.length) {
        this.#parts.push(last.subarray(0, last.length - dropped * this.#channels));
      }
      excess -= dropped;
    }
  }

  /** Removes and returns a chunk, once there are `CHUNK_FRAMES`. */
  takeChunk(): DecodedAudio | undefined {
    return this.#frames >= CHUNK_FRAMES ? this.takeRemaining() : undefined;
  }

  /** Removes and returns all frames; undefined when there are none. */
  takeRemaining(): DecodedAudio | undefined {
    if (this.#frames === 0) return undefined;
    const interleaved = this.#join();
    const count = this.#channels;
    const channels = Array.from({ length: count }, (_, channel) => {
      const samples = new Float32Array(this.#frames);
      for (let i = 0; i < samples.length; i++) samples[i] = interleaved[i * count + channel] as number;
      return samples;
    });
    this.#parts = [];
    this.#frames = 0;
    return { channels, sampleRateHz: SAMPLE_RATE_HZ };
  }

  close(): void {
    this.#decoder.free();
  }

  #decode(packet: Uint8Array): Float32Array {
    // The decoder treats an empty packet as lost and would conceal it with synthetic audio.
    if (packet.length === 0) return new Float32Array(0);
    try {
      return this.#decoder.decodeFloat(packet);
    } catch (error) {
      if (this.#isOpusError(error)) return new Float32Array(0);
      throw error;
    }
  }

  #join(): Float32Array {
    const joined = new Float32Array(this.#frames * this.#channels);
    let offset = 0;
    for (const part of this.#parts) {
      joined.set(part, offset);
      offset += part.length;
    }
    return joined;
  }
}
