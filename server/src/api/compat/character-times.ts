import type { WireTiming } from '../responses/timed-events.ts';
import { roundToMs } from '../wire/round-to-ms.ts';
import type { TextSource } from './bounded-text-source.ts';

/** Maximum number of characters of one result, so that a long word or pause is not one step of the event loop. */
const SPAN_MAX_CHARS = 1000;

/** Consecutive characters with their start and end in seconds from the start of the audio. */
export interface CharacterTimes {
  readonly characters: readonly string[];
  readonly startSeconds: readonly number[];
  readonly endSeconds: readonly number[];
}

/**
 * Derives character times from word times as these become known. The concatenated results are the complete text.
 * The time of a word is divided evenly among its characters, and the time between two words among those between.
 */
export class CharacterTimeline {
  readonly #text: TextSource;
  #returnedChars = 0;
  #returnedSeconds = 0;
  /** The last word. A later report may correct its end. */
  #last: TimedSpan | undefined;

  /** `text` is the text that word offsets refer to. It may still grow. */
  constructor(text: TextSource) {
    this.#text = text;
  }

  /** The new character times, in spans of a limited number of characters. */
  *add({ alignment, chunk_audio_offset_sec: offsetSeconds }: WireTiming): Generator<CharacterTimes> {
    const span = new Span();
    for (const word of alignment?.segments ?? []) {
      if (word.char_start < this.#returnedChars) continue;
      if (this.#last !== undefined && this.#last.charStart < word.char_start) yield* this.#takeLast(span);
      this.#last = {
        charStart: word.char_start,
        charEnd: word.char_end,
        startSeconds: offsetSeconds + word.start,
        endSeconds: offsetSeconds + word.end,
      };
    }
    yield* span.take();
  }

  /** The times of the last word and of the characters after it. */
  *finish(): Generator<CharacterTimes> {
    const span = new Span();
    yield* this.#takeLast(span);
    yield* this.#distribute(span, this.#text.length, this.#returnedSeconds);
    yield* span.take();
  }

  *#takeLast(span: Span): Generator<CharacterTimes> {
    if (this.#last === undefined) return;
    const { charStart, charEnd, startSeconds, endSeconds } = this.#last;
    this.#last = undefined;
    yield* this.#distribute(span, charStart, startSeconds);
    yield* this.#distribute(span, charEnd, endSeconds);
  }

  /** Distributes the characters before `untilChar` evenly over the time before `untilSeconds`. Yields full spans. */
  *#distribute(span: Span, untilChar: number, untilSeconds: number): Generator<CharacterTimes> {
    const characters = [...this.#text.slice(this.#returnedChars, untilChar)];
    const startSeconds = this.#returnedSeconds;
    const endSeconds = Math.max(startSeconds, untilSeconds);
    this.#returnedChars = Math.max(this.#returnedChars, untilChar);
    this.#text.discard?.(this.#returnedChars);
    this.#returnedSeconds = endSeconds;
    const at = (index: number) =>
      roundToMs(startSeconds + ((endSeconds - startSeconds) * index) / characters.length);
    for (const [index, character] of characters.entries()) {
      if (span.length === SPAN_MAX_CHARS) yield* span.take();
      span.add(character, at(index), at(index + 1));
    }
  }
}

interface TimedSpan {
  readonly charStart: number;
  readonly charEnd: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Collects character times. */
class Span {
  #characters: string[] = [];
  #startSeconds: number[] = [];
  #endSeconds: number[] = [];

  get length(): number {
    return this.#characters.length;
  }

  add(character: string, startSeconds: number, endSeconds: number): void {
    this.#characters.push(character);
    this.#startSeconds.push(startSeconds);
    this.#endSeconds.push(endSeconds);
  }

  /** The collected times, unless there are none. The next span begins empty. */
  *take(): Generator<CharacterTimes> {
    if (this.length === 0) return;
    yield { characters: this.#characters, startSeconds: this.#startSeconds, endSeconds: this.#endSeconds };
    this.#characters = [];
    this.#startSeconds = [];
    this.#endSeconds = [];
  }
}
