import type { TimedAudio } from '../../domain/speech/timing/timed-audio.ts';
import type { ChunkTiming } from '../../domain/speech/timing/timing.ts';
import { roundToMs } from '../wire/round-to-ms.ts';

/** Word times of a chunk on the wire, in seconds from the start of the chunk. */
export interface WireAlignment {
  readonly segments: readonly {
    readonly text: string;
    readonly start: number;
    readonly end: number;
    /** Extension: offsets of the word in the text of the request. */
    readonly char_start: number;
    readonly char_end: number;
    /** Extension; only if requested. */
    readonly visemes?: readonly { readonly viseme: string; readonly start: number; readonly end: number }[];
  }[];
  readonly audio_duration: number;
  /** Extension: times of SSML marks; only if the text has marks. */
  readonly marks?: readonly { readonly name: string; readonly time: number; readonly char_start: number }[];
}

/** The timing of an audio segment on the wire. */
export interface WireTiming {
  readonly content: string;
  /** Replaces the previous alignment of the chunk; null if unchanged. */
  readonly alignment: WireAlignment | null;
  readonly chunk_seq: number;
  readonly chunk_audio_offset_sec: number;
}

/** Converts timings to the wire format. Audio without a timing belongs to the last chunk. */
export class TimingWriter {
  #last: Omit<WireTiming, 'alignment'> = { content: '', chunk_seq: 0, chunk_audio_offset_sec: 0 };

  write({ timing }: TimedAudio): WireTiming {
    if (timing === undefined) return { ...this.#last, alignment: null };
    this.#last = {
      content: timing.text.trim(),
      chunk_seq: timing.sequence,
      chunk_audio_offset_sec: roundToMs(timing.offsetSeconds),
    };
    return { ...this.#last, alignment: toAlignment(timing) };
  }
}

function toAlignment({ words, marks, durationSeconds }: ChunkTiming): WireAlignment {
  return {
    segments: words.map((word) => ({
      text: word.text,
      start: roundToMs(word.startSeconds),
      end: roundToMs(word.endSeconds),
      char_start: word.charStart,
      char_end: word.charEnd,
      ...(word.visemes && {
        visemes: word.visemes.map(({ viseme, startSeconds, endSeconds }) => ({
          viseme,
          start: roundToMs(startSeconds),
          end: roundToMs(endSeconds),
        })),
      }),
    })),
    audio_duration: roundToMs(durationSeconds),
    ...(marks.length > 0 && {
      marks: marks.map(({ name, seconds, charStart }) => ({
        name,
        time: roundToMs(seconds),
        char_start: charStart,
      })),
    }),
  };
}
