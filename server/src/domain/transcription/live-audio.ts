import type { OpusDecoderHandle } from 'libopus-wasm';
import { mixChannels } from '../../audio/decode/mix-and-resample.ts';
import { Resampler } from '../../audio/dsp/resampler.ts';
import { canResample } from '../../audio/dsp/resampler-filter.ts';
import { fromPcm16Bytes } from '../../audio/encode/pcm16.ts';
import { type Libopus, loadLibopus } from '../../audio/libopus.ts';
import { ApiError } from '../../errors.ts';
import { ASR_SAMPLE_RATE_HZ } from '../engines/asr-engine.ts';

export const LIVE_ENCODINGS = ['pcm', 'opus'] as const;
export type LiveEncoding = (typeof LIVE_ENCODINGS)[number];

/** Whether PCM of this rate can be converted to the rate of the ASR engines. */
export function isSupportedLiveRate(rateHz: number): boolean {
  return canResample(rateHz, ASR_SAMPLE_RATE_HZ);
}

/** The audio format of a live session. */
export interface LiveAudioFormat {
  /**
   * `pcm` is 16-bit little endian with interleaved channels; `opus` is one packet per message, where an empty
   * message stands for a lost packet.
   */
  readonly encoding: LiveEncoding;
  readonly sampleRateHz: number;
  readonly channels: 1 | 2;
}

/** Decodes the messages of a live session to mono samples at `ASR_SAMPLE_RATE_HZ`. */
export interface LiveAudioReader {
  read(bytes: Uint8Array): Float32Array;
  close(): void;
}

/** Assumed length of a packet that is lost before any packet has arrived: 20 ms. */
const LOST_PACKET_SAMPLES = ASR_SAMPLE_RATE_HZ / 50;

/** Opens a reader for one session. */
export async function openLiveAudio(format: LiveAudioFormat): Promise<LiveAudioReader> {
  return format.encoding === 'pcm' ? new PcmReader(format) : OpusReader.open();
}

class PcmReader implements LiveAudioReader {
  readonly #channels: number;
  readonly #resampler: Resampler;
  #rest: Uint8Array = new Uint8Array(0);

  constructor({ sampleRateHz, channels }: LiveAudioFormat) {
    this.#channels = channels;
    this.#resampler = new Resampler({ fromHz: sampleRateHz, toHz: ASR_SAMPLE_RATE_HZ });
  }

  read(bytes: Uint8Array): Float32Array {
    // A message may end within a sample.
    const all = Buffer.concat([this.#rest, bytes]);
    const completeBytes = all.length - (all.length % (2 * this.#channels));
    this.#rest = all.subarray(completeBytes);
    const samples = fromPcm16Bytes(all.subarray(0, completeBytes));
    return this.#resampler.process(this.#channels === 1 ? samples : mixChannels(deinterleave(samples)));
  }

  close(): void {}
}

/** The decoder ignores the declared format: an Opus packet contains its channel count and sample rate. */
class OpusReader implements LiveAudioReader {
  readonly #decoder: OpusDecoderHandle;
  readonly #isOpusError: Libopus['isOpusError'];
  #packetSamples = LOST_PACKET_SAMPLES;

  private constructor(decoder: OpusDecoderHandle, { isOpusError }: Libopus) {
    this.#decoder = decoder;
    this.#isOpusError = isOpusError;
  }

  static async open(): Promise<OpusReader> {
    const libopus = await loadLibopus();
    const decoder = await libopus.createDecoder({ channels: 1, sampleRate: ASR_SAMPLE_RATE_HZ });
    return new OpusReader(decoder, libopus);
  }

  read(bytes: Uint8Array): Float32Array {
    if (bytes.length === 0) return this.#decoder.decodePacketLossFloat(this.#packetSamples);
    const samples = this.#decode(bytes);
    this.#packetSamples = samples.length;
    return samples;
  }

  close(): void {
    this.#decoder.free();
  }

  #decode(packet: Uint8Array): Float32Array {
    try {
      return this.#decoder.decodeFloat(packet);
    } catch (error) {
      if (!this.#isOpusError(error)) throw error;
      throw new ApiError('invalid_audio', 'A message is not an Opus packet.', { cause: error });
    }
  }
}

function deinterleave(samples: Float32Array): Float32Array[] {
  const frames = samples.length / 2;
  return [0, 1].map((channel) =>
    Float32Array.from({ length: frames }, (_, frame) => samples[2 * frame + channel]!),
  );
}
