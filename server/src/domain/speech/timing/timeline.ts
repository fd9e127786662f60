import type { PlacedMark } from '../../../text/piece.ts';
import type { WordTime } from '../../engines/tts-engine.ts';
import type { PlannedPiece } from '../piece-synthesizer.ts';
import type { ChunkTiming, TimedMark } from './timing.ts';
import { timeWrittenWords } from './written-words.ts';

/** How much of a piece is in the file. */
export interface PieceProgress {
  /** What was cut from the front of the engine's audio. */
  readonly trimmedSeconds: number;
  readonly durationSeconds: number;
  /** Where its first sound is heard. */
  readonly speechStartSeconds: number;
  /** Where its last sound ends and the pause after it begins, once that is known. */
  readonly speechEndSeconds: number | undefined;
}

interface OpenPiece {
  readonly planned: PlannedPiece;
  readonly offsetSeconds: number;
  readonly times: Map<number, WordTime>;
}

/**
 * Follows the pieces of a request while their sound is joined, and knows when each written word is heard in
 * the file. The joiner reports; whoever sends the audio takes what is new.
 */
export class Timeline {
  #sequence = -1;
  #open: OpenPiece | undefined;
  #news: ChunkTiming[] = [];

  /** A piece begins at this place of the file. */
  begin(planned: PlannedPiece, offsetSeconds: number): void {
    this.#sequence++;
    this.#open = { planned, offsetSeconds, times: new Map() };
  }

  /** The engine's times of the open piece, from the start of the engine's audio. */
  addTimes(times: readonly WordTime[]): void {
    for (const time of times) this.#open?.times.set(time.wordIndex, time);
  }

  /** Makes known what there is to know about the open piece. */
  report({ trimmedSeconds, durationSeconds, speechStartSeconds, speechEndSeconds }: PieceProgress): void {
    if (this.#open === undefined) return;
    const { planned, offsetSeconds, times } = this.#open;
    const { piece, source } = planned;
    const textOf = (start: number, end: number) =>
      source.text.slice(start - source.start, end - source.start);
    const words = timeWrittenWords(piece.words, times, {
      shiftSeconds: -trimmedSeconds,
      speechStartSeconds,
      speechEndSeconds,
      textOf,
    });
    const timing: ChunkTiming = {
      sequence: this.#sequence,
      text: textOf(piece.start, piece.end),
      charStart: piece.start,
      speaker: piece.speaker,
      offsetSeconds,
      durationSeconds: Math.max(durationSeconds, words.at(-1)?.endSeconds ?? 0),
      words,
      marks: timeMarks(piece.marks ?? [], times, {
        shiftSeconds: -trimmedSeconds,
        endSeconds: words.at(-1)?.endSeconds ?? 0,
      }),
    };
    // One view of a chunk at a time is enough.
    if (this.#news.at(-1)?.sequence === timing.sequence) this.#news.pop();
    this.#news.push(timing);
  }

  /** What became known since the last call, oldest first. */
  take(): ChunkTiming[] {
    const news = this.#news;
    this.#news = [];
    return news;
  }
}

/** A mark is reached when the word after it begins, or when the last word has ended. */
function timeMarks(
  marks: readonly PlacedMark[],
  times: ReadonlyMap<number, WordTime>,
  { shiftSeconds, endSeconds }: { readonly shiftSeconds: number; readonly endSeconds: number },
): TimedMark[] {
  return marks.map(({ name, start, wordIndex }) => {
    const next = times.get(wordIndex);
    const seconds = next === undefined ? endSeconds : Math.max(0, next.startSeconds + shiftSeconds);
    return { name, seconds, charStart: start };
  });
}
