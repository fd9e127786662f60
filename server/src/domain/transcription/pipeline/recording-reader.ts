import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type DecodedAudio, decodeAudio } from '../../../audio/decode/decode-audio.ts';
import { toChannels, toMono } from '../../../audio/decode/tracks.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import { ApiError } from '../../../errors.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../engines/asr-engine.ts';

export interface RecordingOptions {
  readonly startSeconds: number;
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** Whether the channels are heard apart. */
  readonly isSplit: boolean;
  /** The program for formats we do not decode ourselves. */
  readonly ffmpegPath?: string | undefined;
}

/** Codecs give less at a time than models like to take. */
const BLOCK_SECONDS = 2;
/** From here on the length of a recording is foreseen from how much of the file it took. */
const FORESEE_AFTER_SECONDS = 60;
/** Bit rates vary: only what will be far too long is refused before it is. */
const FORESEEN_EXCESS = 2;

/** A recording on disk, as samples at `HEARING_RATE_HZ`. */
export class RecordingReader {
  readonly #path: string;
  readonly #options: RecordingOptions;
  #sizeBytes = 0;
  #readBytes = 0;
  #seconds = 0;

  constructor(path: string, options: RecordingOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** How much of the file has been read, 0 to 1. */
  get fraction(): number {
    return this.#sizeBytes === 0 ? 0 : Math.min(1, this.#readBytes / this.#sizeBytes);
  }

  /** How much has been decoded. */
  get seconds(): number {
    return this.#seconds;
  }

  /**
   * The samples from the start on that was asked for: one track of all channels mixed, or one for each channel.
   * Throws what `decodeAudio` throws, and when it is too short.
   */
  async *tracks(signal: AbortSignal): AsyncGenerator<readonly Float32Array[]> {
    const { startSeconds, minSeconds, maxSeconds, ffmpegPath, isSplit } = this.#options;
    this.#sizeBytes = (await stat(this.#path)).size;
    let toSkip = Math.round(startSeconds * ASR_SAMPLE_RATE_HZ);
    const decoded = decodeAudio(this.#bytes(), { maxSeconds, signal, ffmpegPath });
    const parts = isSplit ? toChannels(decoded, ASR_SAMPLE_RATE_HZ) : mixed(decoded);
    for await (const tracks of inBlocks(parts, BLOCK_SECONDS * ASR_SAMPLE_RATE_HZ)) {
      const length = tracks[0]!.length;
      this.#seconds += length / ASR_SAMPLE_RATE_HZ;
      this.#refuseFarTooLong();
      const skipped = Math.min(toSkip, length);
      toSkip -= skipped;
      if (skipped < length) yield tracks.map((samples) => samples.subarray(skipped));
    }
    if (this.#seconds < minSeconds) {
      throw new ApiError('audio_too_short', `The audio is shorter than ${minSeconds} seconds.`);
    }
  }

  async *#bytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of createReadStream(this.#path)) {
      this.#readBytes += chunk.length;
      yield chunk;
    }
  }

  /** Hours of work would be wasted on a recording that is refused in the end. */
  #refuseFarTooLong(): void {
    const { maxSeconds } = this.#options;
    if (this.#seconds < FORESEE_AFTER_SECONDS || this.fraction === 0) return;
    if (this.#seconds / this.fraction > FORESEEN_EXCESS * maxSeconds) {
      throw new ApiError('audio_too_long', `The audio is longer than ${maxSeconds} seconds.`);
    }
  }
}

async function* mixed(decoded: AsyncIterable<DecodedAudio>): AsyncGenerator<readonly Float32Array[]> {
  for await (const samples of toMono(decoded, ASR_SAMPLE_RATE_HZ)) yield [samples];
}

/** The same tracks in larger parts, of at least so many samples but for the last. */
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
