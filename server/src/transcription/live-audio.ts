import { OpusDecoder } from 'opus-decoder';
import { mixChannels } from '../audio/decode/tracks.ts';
import { fromPcm16Bytes } from '../audio/pcm16.ts';
import { Resampler } from '../audio/resampler.ts';
import { HEARING_RATE_HZ } from '../engines/asr-engine.ts';
import { ApiError } from '../errors.ts';

export const LIVE_ENCODINGS = ['pcm', 'opus'] as const;
export type LiveEncoding = (typeof LIVE_ENCODINGS)[number];

/** How a live speaker sends sound. */
export interface LiveAudioFormat {
  /** `pcm` is 16-bit little endian, channels interleaved; `opus` is one packet in each message. */
  readonly encoding: LiveEncoding;
  readonly sampleRateHz: number;
  readonly channels: 1 | 2;
}

/** Turns what a live speaker sends into samples for hearing. */
export interface LiveAudioReader {
  read(bytes: Uint8Array): Float32Array;
  close(): void;
}

/** A reader for one session. */
export async function openLiveAudio(format: LiveAudioFormat): Promise<LiveAudioReader> {
  return format.encoding === 'pcm' ? new PcmReader(format) : OpusReader.open(format);
}

class PcmReader implements LiveAudioReader {
  readonly #channels: number;
  readonly #resampler: Resampler;
  #rest: Uint8Array = new Uint8Array(0);

  constructor({ sampleRateHz, channels }: LiveAudioFormat) {
    this.#channels = channels;
    this.#resampler = new Resampler({ fromHz: sampleRateHz, toHz: HEARING_RATE_HZ });
  }

  read(bytes: Uint8Array): Float32Array {
    // A message may end in the middle of a sample.
    const all = Buffer.concat([this.#rest, bytes]);
    const whole = all.length - (all.length % (2 * this.#channels));
    this.#rest = all.subarray(whole);
    const samples = fromPcm16Bytes(all.subarray(0, whole));
    return this.#resampler.process(this.#channels === 1 ? samples : mixChannels(deinterleave(samples)));
  }

  close(): void {}
}

class OpusReader implements LiveAudioReader {
  readonly #decoder: OpusDecoder<16_000>;

  private constructor(decoder: OpusDecoder<16_000>) {
    this.#decoder = decoder;
  }

  static async open({ channels }: LiveAudioFormat): Promise<OpusReader> {
    const decoder = new OpusDecoder({ sampleRate: HEARING_RATE_HZ, channels });
    await decoder.ready;
    return new OpusReader(decoder);
  }

  read(bytes: Uint8Array): Float32Array {
    const { channelData, errors } = this.#decoder.decodeFrame(bytes);
    if (errors.length > 0) throw new ApiError('invalid_audio', 'A message is not an Opus packet.');
    return mixChannels(channelData);
  }

  close(): void {
    this.#decoder.free();
  }
}

function deinterleave(samples: Float32Array): Float32Array[] {
  const frames = samples.length / 2;
  return [0, 1].map((channel) =>
    Float32Array.from({ length: frames }, (_, frame) => samples[2 * frame + channel]!),
  );
}
