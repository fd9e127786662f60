import type { TimedAudio } from '../../domain/speech/timing/timed-audio.ts';
import type { ChunkTiming } from '../../domain/speech/timing/timing.ts';

/** When the words of a chunk are heard, as clients know it: seconds from the start of the chunk. */
export interface WireAlignment {
  readonly segments: readonly {
    readonly text: string;
    readonly start: number;
    readonly end: number;
    /** Our extension: where the word stands in the client's text. */
    readonly char_start: number;
    readonly char_end: number;
    /** Our extension, when asked for. */
    readonly visemes?: readonly { readonly viseme: string; readonly start: number; readonly end: number }[];
  }[];
  readonly audio_duration: number;
  /** Our extension, only where the text has marks: when each is reached. */
  readonly marks?: readonly { readonly name: string; readonly time: number; readonly char_start: number }[];
}

/** The timing that goes with a stretch of audio, as clients know it. */
export interface WireTiming {
  readonly content: string;
  /** Replaces what was said of the chunk before; null when there is nothing new. */
  readonly alignment: WireAlignment | null;
  readonly chunk_seq: number;
  readonly chunk_audio_offset_sec: number;
}

/** Puts timings into the form clients know. They come in order, so the last chunk stands until there is another. */
export class TimingWriter {
  #last: Omit<WireTiming, 'alignment'> = { content: '', chunk_seq: 0, chunk_audio_offset_sec: 0 };

  write({ timing }: TimedAudio): WireTiming {
    if (timing === undefined) return { ...this.#last, alignment: null };
    this.#last = {
      content: timing.text.trim(),
      chunk_seq: timing.sequence,
      chunk_audio_offset_sec: toMilliseconds(timing.offsetSeconds),
    };
    return { ...this.#last, alignment: toAlignment(timing) };
  }
}

function toAlignment({ words, marks, durationSeconds }: ChunkTiming): WireAlignment {
  return {
    segments: words.map((word) => ({
      text: word.text,
      start: toMilliseconds(word.startSeconds),
      end: toMilliseconds(word.endSeconds),
      char_start: word.charStart,
      char_end: word.charEnd,
      ...(word.visemes && {
        visemes: word.visemes.map(({ viseme, startSeconds, endSeconds }) => ({
          viseme,
          start: toMilliseconds(startSeconds),
          end: toMilliseconds(endSeconds),
        })),
      }),
    })),
    audio_duration: toMilliseconds(durationSeconds),
    ...(marks.length > 0 && {
      marks: marks.map(({ name, seconds, charStart }) => ({
        name,
        time: toMilliseconds(seconds),
        char_start: charStart,
      })),
    }),
  };
}

function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
