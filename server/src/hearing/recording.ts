import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { decodeAudio } from '../audio/decode/decode-audio.ts';
import { toMono } from '../audio/decode/mono.ts';
import { HEARING_RATE_HZ } from '../engines/asr-engine.ts';
import { ApiError } from '../errors.ts';

export interface RecordingOptions {
  readonly startSeconds: number;
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** The program for formats we do not decode ourselves. */
  readonly ffmpegPath?: string | undefined;
}

/** From here on the length of a recording is foreseen from how much of the file it took. */
const FORESEE_AFTER_SECONDS = 60;
/** Bit rates vary: only what will be far too long is refused before it is. */
const FORESEEN_EXCESS = 2;

/** A recording on disk, as mono samples at `HEARING_RATE_HZ`. */
export class Recording {
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

  /** The samples from the start on that was asked for. Throws what `decodeAudio` throws, and when it is too short. */
  async *samples(signal: AbortSignal): AsyncGenerator<Float32Array> {
    const { startSeconds, minSeconds, maxSeconds, ffmpegPath } = this.#options;
    this.#sizeBytes = (await stat(this.#path)).size;
    let toSkip = Math.round(startSeconds * HEARING_RATE_HZ);
    for await (const samples of toMono(
      decodeAudio(this.#bytes(), { maxSeconds, signal, ffmpegPath }),
      HEARING_RATE_HZ,
    )) {
      this.#seconds += samples.length / HEARING_RATE_HZ;
      this.#refuseFarTooLong();
      const rest = samples.subarray(Math.min(toSkip, samples.length));
      toSkip -= samples.length - rest.length;
      if (rest.length > 0) yield rest;
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
