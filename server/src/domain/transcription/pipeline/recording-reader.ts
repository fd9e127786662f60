import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type DecodedAudio, decodeAudio } from '../../../audio/decode/decode-audio.ts';
import type { FfmpegSlots } from '../../../audio/decode/ffmpeg-decoder.ts';
import { toChannels, toMono } from '../../../audio/decode/mix-and-resample.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import { ApiError } from '../../../errors.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../engines/asr-engine.ts';

export interface RecordingOptions {
  readonly startSeconds: number;
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** Maximum number of decoded samples of all channels. */
  readonly samplesMax?: number | undefined;
  /** Whether the channels are transcribed separately. */
  readonly isSplit: boolean;
  /** Program for formats without a built-in decoder. */
  readonly ffmpegPath?: string | undefined;
  /** Limits the number of FFmpeg processes. */
  readonly ffmpegSlots?: FfmpegSlots | undefined;
}

/** Codec frames are smaller than the batches that models process efficiently. */
const BLOCK_SECONDS = 2;
/** Decoded duration from which the total duration is estimated by the fraction of the file that was read. */
const ESTIMATE_AFTER_SECONDS = 60;
/** Factor over the limit at which an estimate is rejected. Bit rates vary, so estimates are imprecise. */
const ESTIMATE_EXCESS_MAX = 2;

/** A recording on disk, as samples at `ASR_SAMPLE_RATE_HZ`. */
export class RecordingReader {
  readonly #path: string;
  readonly #options: RecordingOptions;
  #sizeBytes = 0;
  #readBytes = 0;
  #seconds = 0;
  #decodedSamples = 0;

  constructor(path: string, options: RecordingOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** Fraction of the file that has been read, 0 to 1. */
  get fraction(): number {
    return this.#sizeBytes === 0 ? 0 : Math.min(1, this.#readBytes / this.#sizeBytes);
  }

  /** Number of samples of all channels that were decoded, before resampling. */
  get decodedSamples(): number {
    return this.#decodedSamples;
  }

  /** Decoded duration. */
  get seconds(): number {
    return this.#seconds;
  }

  /**
   * The samples from `startSeconds`: one mixed track, or one track per channel. Throws the errors of
   * `decodeAudio`, `audio_too_short`, `audio_too_long` and `audio_too_costly`.
   */
  async *tracks(signal: AbortSignal): AsyncGenerator<readonly Float32Array[]> {
    const { startSeconds, minSeconds, maxSeconds, samplesMax, isSplit } = this.#options;
    const { ffmpegPath, ffmpegSlots } = this.#options;
    this.#sizeBytes = (await stat(this.#path)).size;
    let toSkip = Math.round(startSeconds * ASR_SAMPLE_RATE_HZ);
    const decoded = this.#count(
      decodeAudio(this.#bytes(), { maxSeconds, maxSamples: samplesMax, signal, ffmpegPath, ffmpegSlots }),
    );
    const parts = isSplit ? toChannels(decoded, ASR_SAMPLE_RATE_HZ) : mixed(decoded);
    for await (const tracks of inBlocks(parts, BLOCK_SECONDS * ASR_SAMPLE_RATE_HZ)) {
      const length = tracks[0]!.length;
      this.#seconds += length / ASR_SAMPLE_RATE_HZ;
      this.#rejectFarTooLong();
      const skipped = Math.min(toSkip, length);
      toSkip -= skipped;
      if (skipped < length) yield tracks.map((samples) => samples.subarray(skipped));
    }
    if (this.#seconds < minSeconds) {
      throw new ApiError('audio_too_short', `The audio is shorter than ${minSeconds} seconds.`);
    }
  }

  async *#count(decoded: AsyncIterable<DecodedAudio>): AsyncGenerator<DecodedAudio> {
    for await (const chunk of decoded) {
      this.#decodedSamples += chunk.channels.length * chunk.channels[0]!.length;
      yield chunk;
    }
  }

  async *#bytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of createReadStream(this.#path)) {
      this.#readBytes += chunk.length;
      yield chunk;
    }
  }

  /** Rejects early, instead of after hours of work. */
  #rejectFarTooLong(): void {
    const { maxSeconds } = this.#options;
    if (this.#seconds < ESTIMATE_AFTER_SECONDS || this.fraction === 0) return;
    if (this.#seconds / this.fraction > ESTIMATE_EXCESS_MAX * maxSeconds) {
      throw new ApiError('audio_too_long', `The audio is longer than ${maxSeconds} seconds.`);
    }
  }
}

async function* mixed(decoded: AsyncIterable<DecodedAudio>): AsyncGenerator<readonly Float32Array[]> {
  for await (const samples of toMono(decoded, ASR_SAMPLE_RATE_HZ)) yield [samples];
}

/** The same tracks in blocks of at least `samplesMin` samples, except the last. */
async function* inBlocks(
  parts: AsyncIterable<readonly Float32Array[]>,
  samplesMin: number,
): AsyncGenerator<readonly Float32Array[]> {
  let held: (readonly Float32Array[])[] = [];
  let samples = 0;
  const join = () => held[0]!.map((_, track) => joinSamples(held.map((part) => part[track]!)));
  for await (const part of parts) {
    held.push(part);
    samples += part[0]!.length;
    if (samples < samplesMin) continue;
    yield join();
    held = [];
    samples = 0;
  }
  if (held.length > 0) yield join();
}
