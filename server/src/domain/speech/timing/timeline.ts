import type { PlacedMark } from '../../../text/piece.ts';
import type { WordTime } from '../../engines/tts-engine.ts';
import type { PlannedPiece } from '../piece-synthesizer.ts';
import type { ChunkTiming, TimedMark } from './timing.ts';
import { timeWrittenWords } from './written-words.ts';

/** Position of a piece in the output. */
export interface PieceProgress {
  /** Silence trimmed from the start of the engine's audio. */
  readonly trimmedSeconds: number;
  readonly durationSeconds: number;
  /** Onset of its speech. */
  readonly speechStartSeconds: number;
  /** End of its speech, where the pause begins; undefined until it is known. */
  readonly speechEndSeconds: number | undefined;
}

interface OpenPiece {
  readonly planned: PlannedPiece;
  readonly offsetSeconds: number;
  readonly times: Map<number, WordTime>;
}

/**
 * Word times in the output file. The audio pipeline reports the progress of each piece; the sender of the audio
 * takes the updates.
 */
export class Timeline {
  #sequence = -1;
  #open: OpenPiece | undefined;
  #updates: ChunkTiming[] = [];

  /** Starts a piece at this offset of the output. */
  begin(planned: PlannedPiece, offsetSeconds: number): void {
    this.#sequence++;
    this.#open = { planned, offsetSeconds, times: new Map() };
  }

  /** Adds word times of the current piece, relative to the engine's audio. */
  addTimes(times: readonly WordTime[]): void {
    for (const time of times) this.#open?.times.set(time.wordIndex, time);
  }

  /** Creates an update for the current piece. */
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
    // An update replaces an earlier one of the same piece.
    if (this.#updates.at(-1)?.sequence === timing.sequence) this.#updates.pop();
    this.#updates.push(timing);
  }

  /** The updates since the last call, oldest first. */
  take(): ChunkTiming[] {
    const updates = this.#updates;
    this.#updates = [];
    return updates;
  }
}

/** The time of a mark is the start of the next word, or the end of the last word. */
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
