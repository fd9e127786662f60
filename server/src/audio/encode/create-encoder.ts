import {
  AUDIO_FORMATS,
  type BuiltInFormat,
  defaultSampleRateHz,
  formatInfoOf,
  supportsSampleRate,
} from '../formats.ts';
import type { AudioEncoder } from './audio-encoder.ts';
import { createFlacEncoder } from './flac-encoder.ts';
import { TelephoneEncoder } from './g711-encoder.ts';
import { createMp3Encoder, type Mp3BitrateKbps, type Mp3SampleRateHz } from './mp3-encoder.ts';
import { createOpusEncoder } from './opus-encoder.ts';
import { Pcm16Encoder } from './pcm16.ts';
import { WavEncoder } from './wav.ts';

export type { AudioEncoder } from './audio-encoder.ts';

/** The format of a stream. Bitrates of other formats are ignored. */
export interface EncoderOptions {
  readonly format: BuiltInFormat;
  /** The sample rate of both input and file. */
  readonly sampleRateHz: number;
  readonly mp3BitrateKbps: Mp3BitrateKbps;
  readonly opusBitrateBps: number | 'auto';
}

/** Creates an encoder for one stream. Throws a `RangeError` when the format does not support the sample rate. */
export async function createEncoder(options: EncoderOptions): Promise<AudioEncoder> {
  const { format, sampleRateHz } = options;
  if (!supportsSampleRate(format, sampleRateHz)) {
    const { contentType, sampleRatesHz } = formatInfoOf(format);
    throw new RangeError(
      `Invalid sample rate ${sampleRateHz} for format ${contentType}. Supported: ${sampleRatesHz.join(', ')}.`,
    );
  }
  return new SingleUseEncoder(await createCodec(options));
}

/** Several frames of every format. A second would take 0.3 s more CPU time at every start. */
const WARM_UP_SECONDS = 0.2;

/**
 * FLAC and Opus are left out: their first streams wait for the codec (FLAC 0.3 s, Opus 0.06 s), which every start would wait
 * for otherwise. With Opus, all servers would have 3 MB more memory.
 */
const WARM_FORMATS = AUDIO_FORMATS.filter((format) => format !== 'flac' && format !== 'opus');

/** Compiles the codecs, so that the first request does not wait for them. */
export async function warmEncoders(): Promise<void> {
  for (const format of WARM_FORMATS) {
    const sampleRateHz = defaultSampleRateHz(format);
    const encoder = await createEncoder({
      format,
      sampleRateHz,
      mp3BitrateKbps: 128,
      opusBitrateBps: 'auto',
    });
    encoder.encode(new Float32Array(WARM_UP_SECONDS * sampleRateHz));
    encoder.finish();
  }
}

async function createCodec(options: EncoderOptions): Promise<AudioEncoder> {
  const { format, sampleRateHz } = options;
  switch (format) {
    case 'mp3':
      return createMp3Encoder({
        // `createEncoder` has checked the rate: the supported rates of MP3 are in this type.
        sampleRateHz: sampleRateHz as Mp3SampleRateHz,
        bitrateKbps: options.mp3BitrateKbps,
      });
    case 'wav':
      return new WavEncoder(sampleRateHz);
    case 'pcm':
      return new Pcm16Encoder();
    case 'opus':
      return createOpusEncoder({ bitrateBps: options.opusBitrateBps });
    case 'ulaw':
    case 'alaw':
      return new TelephoneEncoder(format);
    case 'flac':
      return createFlacEncoder({ sampleRateHz });
  }
}

/** Throws on use after the end, and releases the codec when it fails. */
class SingleUseEncoder implements AudioEncoder {
  readonly contentType: string;
  readonly fileExtension: string;
  readonly #codec: AudioEncoder;
  #isClosed = false;

  constructor(codec: AudioEncoder) {
    this.#codec = codec;
    this.contentType = codec.contentType;
    this.fileExtension = codec.fileExtension;
  }

  encode(samples: Float32Array): Uint8Array {
    return this.#run(() => this.#codec.encode(samples));
  }

  finish(): Uint8Array {
    const bytes = this.#run(() => this.#codec.finish());
    this.#isClosed = true;
    return bytes;
  }

  dispose(): void {
    this.#isClosed = true;
    this.#codec.dispose();
  }

  #run(work: () => Uint8Array): Uint8Array {
    if (this.#isClosed) throw new Error(`This ${this.fileExtension} stream has ended.`);
    try {
      return work();
    } catch (error) {
      this.dispose();
      throw error;
    }
  }
}
