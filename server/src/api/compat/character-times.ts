import type { WireTiming } from '../responses/timed-events.ts';
import type { TextSource } from './bounded-text-source.ts';

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

  /** Returns the new character times; undefined when there are none. */
  add({ alignment, chunk_audio_offset_sec: offsetSeconds }: WireTiming): CharacterTimes | undefined {
    const times = emptyTimes();
    for (const word of alignment?.segments ?? []) {
      if (word.char_start < this.#returnedChars) continue;
      if (this.#last !== undefined && this.#last.charStart < word.char_start) this.#appendLast(times);
      this.#last = {
        charStart: word.char_start,
        charEnd: word.char_end,
        startSeconds: offsetSeconds + word.start,
        endSeconds: offsetSeconds + word.end,
      };
    }
    return times.characters.length > 0 ? times : undefined;
  }

  /** Returns the times of the last word and of the characters after it; undefined when there are none. */
  finish(): CharacterTimes | undefined {
    const times = emptyTimes();
    this.#appendLast(times);
    this.#append(times, this.#text.length, this.#returnedSeconds);
    return times.characters.length > 0 ? times : undefined;
  }

  #appendLast(times: MutableTimes): void {
    if (this.#last === undefined) return;
    this.#append(times, this.#last.charStart, this.#last.startSeconds);
    this.#append(times, this.#last.charEnd, this.#last.endSeconds);
    this.#last = undefined;
  }

  /** Distributes the characters before `untilChar` evenly over the time before `untilSeconds`. */
  #append(times: MutableTimes, untilChar: number, untilSeconds: number): void {
    const characters = [...this.#text.slice(this.#returnedChars, untilChar)];
    const startSeconds = this.#returnedSeconds;
    const endSeconds = Math.max(startSeconds, untilSeconds);
    const at = (index: number) =>
      roundToMs(startSeconds + ((endSeconds - startSeconds) * index) / characters.length);
    for (const [index, character] of characters.entries()) {
      times.characters.push(character);
      times.startSeconds.push(at(index));
      times.endSeconds.push(at(index + 1));
    }
    this.#returnedChars = Math.max(this.#returnedChars, untilChar);
    this.#text.discard?.(this.#returnedChars);
    this.#returnedSeconds = endSeconds;
  }
}

interface TimedSpan {
  readonly charStart: number;
  readonly charEnd: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

interface MutableTimes extends CharacterTimes {
  readonly characters: string[];
  readonly startSeconds: number[];
  readonly endSeconds: number[];
}

function emptyTimes(): MutableTimes {
  return { characters: [], startSeconds: [], endSeconds: [] };
}

/** Concatenates consecutive spans. */
export function joinTimes(parts: readonly (CharacterTimes | undefined)[]): CharacterTimes {
  const known = parts.filter((part) => part !== undefined);
  return {
    characters: known.flatMap(({ characters }) => characters),
    startSeconds: known.flatMap(({ startSeconds }) => startSeconds),
    endSeconds: known.flatMap(({ endSeconds }) => endSeconds),
  };
}

function roundToMs(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
