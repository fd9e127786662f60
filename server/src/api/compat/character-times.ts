import type { WireTiming } from '../responses/timed-events.ts';

/** Characters in order, each with when it is heard, in seconds from the start of the audio. */
export interface CharacterTimes {
  readonly characters: readonly string[];
  readonly startSeconds: readonly number[];
  readonly endSeconds: readonly number[];
}

/**
 * Tells when every character of a text is heard, from the times of its words as they become known. What it tells,
 * joined, is the whole text: characters share the time of their word evenly, and those between two words the time
 * between them.
 */
export class CharacterClock {
  readonly #text: () => string;
  #toldChars = 0;
  #toldSeconds = 0;
  /** The last word: when it ends may still be corrected. */
  #last: TimedPlace | undefined;

  /** `text` is what the words count their places in; it may still be growing. */
  constructor(text: () => string) {
    this.#text = text;
  }

  /** What is new; undefined when nothing is. */
  add({ alignment, chunk_audio_offset_sec: offsetSeconds }: WireTiming): CharacterTimes | undefined {
    const told = emptyTimes();
    for (const word of alignment?.segments ?? []) {
      if (word.char_start < this.#toldChars) continue;
      if (this.#last !== undefined && this.#last.charStart < word.char_start) this.#tellLast(told);
      this.#last = {
        charStart: word.char_start,
        charEnd: word.char_end,
        startSeconds: offsetSeconds + word.start,
        endSeconds: offsetSeconds + word.end,
      };
    }
    return told.characters.length > 0 ? told : undefined;
  }

  /** The last word and what follows it; undefined when there is nothing left. */
  finish(): CharacterTimes | undefined {
    const told = emptyTimes();
    this.#tellLast(told);
    this.#tell(told, this.#text().length, this.#toldSeconds);
    return told.characters.length > 0 ? told : undefined;
  }

  #tellLast(told: MutableTimes): void {
    if (this.#last === undefined) return;
    this.#tell(told, this.#last.charStart, this.#last.startSeconds);
    this.#tell(told, this.#last.charEnd, this.#last.endSeconds);
    this.#last = undefined;
  }

  /** Spreads the characters up to a place evenly over the time up to a moment. */
  #tell(told: MutableTimes, untilChar: number, untilSeconds: number): void {
    const characters = [...this.#text().slice(this.#toldChars, untilChar)];
    const startSeconds = this.#toldSeconds;
    const endSeconds = Math.max(startSeconds, untilSeconds);
    const at = (index: number) =>
      roundToMs(startSeconds + ((endSeconds - startSeconds) * index) / characters.length);
    for (const [index, character] of characters.entries()) {
      told.characters.push(character);
      told.startSeconds.push(at(index));
      told.endSeconds.push(at(index + 1));
    }
    this.#toldChars = Math.max(this.#toldChars, untilChar);
    this.#toldSeconds = endSeconds;
  }
}

interface TimedPlace {
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

/** Two stretches of characters as one. */
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
