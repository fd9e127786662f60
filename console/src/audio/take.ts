import type { Segment, SpeechRequest } from 'mynah';
import { mynah, noteError } from '../lib/api.ts';
import { PcmDecoder, PcmPlayer, SAMPLE_RATE_HZ } from './pcm-player.ts';

/** A word with its time in the whole audio and its place in the text. */
export interface TimedWord {
  readonly start: number;
  readonly end: number;
  readonly charStart: number;
  readonly charEnd: number;
}

export interface TakeInfo {
  readonly id: string;
  readonly text: string;
  readonly voiceId: string;
  readonly voiceTitle: string;
  readonly model: string;
  readonly speed: number;
  readonly volume: number;
  readonly createdAtMs: number;
  readonly firstAudioMs?: number | undefined;
  readonly durationSeconds?: number | undefined;
  readonly costUsd?: number | undefined;
}

/** One synthesis of a text: its audio, its words, and how fast it was. */
export class Take {
  readonly player = new PcmPlayer();
  readonly #listeners = new Set<() => void>();
  readonly #abort = new AbortController();
  readonly #wordsByChunk = new Map<number, readonly TimedWord[]>();
  info: TakeInfo;
  words: readonly TimedWord[] = [];
  error: unknown;
  isRunning = false;
  version = 0;

  constructor(info: TakeInfo) {
    this.info = info;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Synthesizes the text. The audio plays as it arrives unless `isSilent`. */
  async run(
    request: Omit<SpeechRequest, 'text'>,
    { isSilent = false, onFirstAudio = () => {} }: { isSilent?: boolean; onFirstAudio?: () => void } = {},
  ): Promise<void> {
    const startedAt = performance.now();
    const decoder = new PcmDecoder();
    this.isRunning = true;
    if (!isSilent) this.player.play(0);
    this.#notify();
    try {
      const events = mynah.textToSpeech.convertWithTimestamps(
        { ...request, text: this.info.text, format: 'pcm', sample_rate: SAMPLE_RATE_HZ },
        { signal: this.#abort.signal },
      );
      for await (const { audio, alignment, chunkSeq, chunkAudioOffsetSeconds } of events) {
        const samples = decoder.decode(audio);
        if (samples.length > 0 && this.info.firstAudioMs === undefined) {
          this.info = { ...this.info, firstAudioMs: Math.round(performance.now() - startedAt) };
          onFirstAudio();
        }
        this.player.append(samples);
        if (alignment !== null) this.#setWords(chunkSeq, chunkAudioOffsetSeconds, alignment.segments);
        this.#notify();
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) {
        this.error = error;
        noteError(error);
      }
    } finally {
      this.isRunning = false;
      this.info = { ...this.info, durationSeconds: this.player.durationSeconds };
      this.player.complete();
      this.#notify();
    }
  }

  /** Restores a finished take. */
  restore(samples: Float32Array<ArrayBuffer>, words: readonly TimedWord[]): void {
    this.player.append(samples);
    this.player.complete();
    this.words = words;
  }

  stop(): void {
    this.#abort.abort();
    this.player.pause();
  }

  #setWords(chunk: number, offset: number, segments: readonly Segment[]): void {
    this.#wordsByChunk.set(
      chunk,
      segments.map(({ start, end, char_start = 0, char_end = 0 }) => ({
        start: start + offset,
        end: end + offset,
        charStart: char_start,
        charEnd: char_end,
      })),
    );
    this.words = [...this.#wordsByChunk.entries()].sort(([a], [b]) => a - b).flatMap(([, words]) => words);
  }

  #notify(): void {
    this.version += 1;
    for (const listener of this.#listeners) listener();
  }
}
