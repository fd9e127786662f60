import { endsInsideMarkup } from '../markup/open-markup.ts';
import { findStableEnding, type VerbalizeWords } from '../normalise/stable-ending.ts';
import type { Boundary } from '../piece.ts';

/** A stretch of a growing text that can be spoken: nothing that comes later changes its words. */
export interface TextSegment {
  readonly text: string;
  /** Where it stands in the whole text: a UTF-16 offset. */
  readonly start: number;
  /** What ends it, and so how long the pause after it should be. */
  readonly ends: Boundary;
}

export interface TextStreamSegmenterOptions {
  readonly read: VerbalizeWords;
  /** A sentence that takes longer than this to arrive is spoken clause by clause. */
  readonly clauseLength: number;
}

/** The very first clause is spoken as soon as it has this many characters. */
const FIRST_CLAUSE_MIN = 16;
/** A stretch is cut between words when no mark comes for so long. */
const UNPUNCTUATED_MAX = 300;
/** Nothing but SSML is held back longer than this. */
const HELD_MAX = 1500;
/** How far ahead one decision looks, and so the longest stretch. */
const WINDOW = 900;

/** A mark and the space behind it, a mark of a script without spaces and what follows it, or a line's end. */
const CANDIDATE =
  /[.,;:!?…—–)\]”"'’»।][”"'’)\]»*_]{0,8}\s+|[。！？，、；：][」』”）)】》。！？…]{0,8}(?=[^\s」』”）)】》。！？…])|\n\s*/gu;
const BLANK_LINE = /\n\s*\n\s*$/;
const CLAUSE_END = /[,;:—–，、；：][”"'’)\]»」』）】》*_]*\s*$/u;
/** A stretch worth speaking on its own: "1." is not. */
const SPEAKABLE = /\p{L}\p{L}|\p{Lo}/u;
/** What a decision at the end of a line needs to see of the next. */
const NEXT_LINE_MIN = 12;
/** A comma after a figure may stand inside a date or a list of figures, which are best said in one go. */
const AFTER_FIGURE = /\d[,:]\s*$/;
const SSML_START = /^\s*<speak[\s>]/i;
const SSML_END = /<\/speak\s*>/i;

interface Cut {
  readonly at: number;
  readonly ends: Boundary;
}

/**
 * A text that arrives bit by bit, as a language model writes it, and leaves in stretches that are as long as
 * what has arrived allows: sentences, and clauses where a sentence takes long. However the text is cut into
 * bits, the stretches together have the words of the whole; no number, abbreviation, cue or tag is split. (Only
 * whether a line break folds a long line is decided by what is known of that line.)
 */
export class TextStreamSegmenter {
  readonly #options: TextStreamSegmenterOptions;
  /** What has not left yet, and where it stands in the whole. */
  #held = '';
  #start = 0;
  /** How much of it must leave, whether complete or not. */
  #flushed = 0;
  #hasEnded = false;
  #hasSpoken = false;
  /** Places up to here were looked at; the best of them is `#best`. */
  #lookedTo = 0;
  #best: Cut | undefined;

  constructor(options: TextStreamSegmenterOptions) {
    this.#options = options;
  }

  /** Characters that have not left yet. */
  get bufferedLength(): number {
    return this.#held.length;
  }

  append(text: string): void {
    this.#held += text;
  }

  /** Everything so far is to be spoken, complete or not. */
  flush(): void {
    this.#flushed = this.#held.length;
  }

  /** No more text will come. */
  end(): void {
    this.flush();
    this.#hasEnded = true;
  }

  /** The next stretch; undefined until more text comes. */
  nextSegment(): TextSegment | undefined {
    const cut = this.#nextCut();
    if (cut === undefined) return undefined;
    const text = this.#held.slice(0, cut.at);
    const start = this.#start;
    this.#held = this.#held.slice(cut.at);
    this.#start += cut.at;
    this.#flushed = Math.max(0, this.#flushed - cut.at);
    this.#hasSpoken ||= SPEAKABLE.test(text);
    this.#lookedTo = 0;
    this.#best = undefined;
    const isLast = this.#hasEnded && this.#held === '';
    return { text, start, ends: isLast ? 'end' : cut.ends };
  }

  #nextCut(): Cut | undefined {
    if (this.#start === 0 && SSML_START.test(this.#held)) return this.#ssmlCut();
    if (this.#flushed > 0 && this.#flushed <= WINDOW) return this.#flushCut();
    this.#look();
    const best = this.#best;
    const clauseMin = this.#hasSpoken ? this.#options.clauseLength : FIRST_CLAUSE_MIN;
    if (best && (best.ends !== 'clause' || best.at >= clauseMin)) return best;
    if (this.#held.length > UNPUNCTUATED_MAX) return best ?? this.#cutBetweenWords();
    return undefined;
  }

  #ssmlCut(): Cut | undefined {
    const end = SSML_END.exec(this.#held);
    if (end) return { at: end.index + end[0].length, ends: 'sentence' };
    return this.#flushed > 0 ? this.#flushCut() : undefined;
  }

  #flushCut(): Cut {
    const at = this.#flushed;
    const flushed = this.#held.slice(0, at);
    if (BLANK_LINE.test(flushed)) return { at, ends: 'paragraph' };
    return { at, ends: CLAUSE_END.test(flushed) ? 'clause' : 'sentence' };
  }

  /** Finds the last sentence that ends in the window, or the last clause. Looks at no place twice. */
  #look(): void {
    const window = this.#held.slice(0, WINDOW);
    const candidates = [...window.matchAll(CANDIDATE)].reverse();
    let clause: Cut | undefined;
    let lookedTo = this.#lookedTo;
    for (const { index, 0: mark } of candidates) {
      const at = index + mark.length;
      if (at <= this.#lookedTo) break;
      // More of the space may come, and of the next line.
      if (at === this.#held.length && /\n\s*$/.test(mark) && !BLANK_LINE.test(mark)) continue;
      if (this.#held.length < at + NEXT_LINE_MIN && isBareLineEnd(mark)) continue;
      lookedTo = Math.max(lookedTo, at);
      const ends = this.#endAt(at, mark);
      if (ends === undefined || ends === 'phrase') continue;
      if (ends === 'clause') {
        clause ??= { at, ends };
        continue;
      }
      this.#best = { at, ends };
      break;
    }
    if (this.#best === undefined || this.#best.ends === 'clause') this.#best = clause ?? this.#best;
    this.#lookedTo = lookedTo;
  }

  /** What ends here, or undefined when the text cannot be cut here. */
  #endAt(at: number, mark: string): Boundary | undefined {
    const before = this.#held.slice(0, at);
    if (!SPEAKABLE.test(before) || AFTER_FIGURE.test(before) || endsInsideMarkup(before)) return undefined;
    const follower = isBareLineEnd(mark) ? this.#held.slice(at, at + 60) : undefined;
    const after = findStableEnding(before, this.#options.read, follower);
    if (after === undefined) return undefined;
    if (BLANK_LINE.test(before)) return 'paragraph';
    if (/[.!?…]/.test(after)) return 'sentence';
    return /[,;:—]/.test(after) ? 'clause' : 'phrase';
  }

  /** For text without marks: between two words where nothing is split, and at last anywhere. */
  #cutBetweenWords(): Cut | undefined {
    const window = this.#held.slice(0, Math.min(this.#held.length - 1, WINDOW));
    const spaces = [...window.matchAll(/\s+/g)].reverse().map(({ index, 0: space }) => index + space.length);
    const isForced = this.#held.length > HELD_MAX;
    const settled = spaces.find((at) => at > UNPUNCTUATED_MAX / 3 && this.#endAt(at, ' ') !== undefined);
    if (settled !== undefined) return { at: settled, ends: 'phrase' };
    if (!isForced) return undefined;
    const loose = spaces.find((at) => !endsInsideMarkup(this.#held.slice(0, at)));
    return { at: loose ?? wholeCharacters(window), ends: 'phrase' };
  }
}

function isBareLineEnd(mark: string): boolean {
  return /^\n/.test(mark) && !BLANK_LINE.test(mark);
}

/** The length of a text without half a character at its end. */
function wholeCharacters(text: string): number {
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}
