import { endsInsideMarkup } from '../markup/open-markup.ts';
import { findStableEnding, type VerbalizeWords } from '../normalise/stable-ending.ts';
import type { Boundary } from '../piece.ts';

/** A stretch of a growing text that can be spoken: nothing that comes later changes its words. */
export interface TextSegment {
  readonly text: string;
  /** Where it stands in the whole text: a UTF-16 offset. */
  readonly start: number;
  /** What ends it, and so how long the pause after it should be. */
  readonly boundary: Boundary;
}

export interface TextStreamSegmenterOptions {
  readonly verbalize: VerbalizeWords;
  /** A sentence that takes longer than this to arrive is spoken clause by clause. */
  readonly clauseLength: number;
}

/** The very first clause is spoken as soon as it has this many characters. */
const FIRST_CLAUSE_MIN = 16;
/** A stretch is cut between words when no mark comes for so long. */
const UNPUNCTUATED_MAX = 300;
/** Nothing but SSML is held back longer than this. */
const BUFFER_MAX = 1500;
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
  readonly boundary: Boundary;
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
  #buffer = '';
  #start = 0;
  /** How much of it must leave, whether complete or not. */
  #flushed = 0;
  #hasEnded = false;
  #hasEmitted = false;
  /** Places up to here were looked at; the best of them is `#best`. */
  #examinedTo = 0;
  #best: Cut | undefined;

  constructor(options: TextStreamSegmenterOptions) {
    this.#options = options;
  }

  /** Characters that have not left yet. */
  get bufferedLength(): number {
    return this.#buffer.length;
  }

  append(text: string): void {
    this.#buffer += text;
  }

  /** Everything so far is to be spoken, complete or not. */
  flush(): void {
    this.#flushed = this.#buffer.length;
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
    const text = this.#buffer.slice(0, cut.at);
    const start = this.#start;
    this.#buffer = this.#buffer.slice(cut.at);
    this.#start += cut.at;
    this.#flushed = Math.max(0, this.#flushed - cut.at);
    this.#hasEmitted ||= SPEAKABLE.test(text);
    this.#examinedTo = 0;
    this.#best = undefined;
    const isLast = this.#hasEnded && this.#buffer === '';
    return { text, start, boundary: isLast ? 'end' : cut.boundary };
  }

  #nextCut(): Cut | undefined {
    if (this.#start === 0 && SSML_START.test(this.#buffer)) return this.#ssmlCut();
    if (this.#flushed > 0 && this.#flushed <= WINDOW) return this.#flushCut();
    this.#examine();
    const best = this.#best;
    const clauseMin = this.#hasEmitted ? this.#options.clauseLength : FIRST_CLAUSE_MIN;
    if (best && (best.boundary !== 'clause' || best.at >= clauseMin)) return best;
    if (this.#buffer.length > UNPUNCTUATED_MAX) return best ?? this.#cutBetweenWords();
    return undefined;
  }

  #ssmlCut(): Cut | undefined {
    const end = SSML_END.exec(this.#buffer);
    if (end) return { at: end.index + end[0].length, boundary: 'sentence' };
    return this.#flushed > 0 ? this.#flushCut() : undefined;
  }

  #flushCut(): Cut {
    const at = this.#flushed;
    const flushed = this.#buffer.slice(0, at);
    if (BLANK_LINE.test(flushed)) return { at, boundary: 'paragraph' };
    return { at, boundary: CLAUSE_END.test(flushed) ? 'clause' : 'sentence' };
  }

  /** Finds the last sentence that ends in the window, or the last clause. Looks at no place twice. */
  #examine(): void {
    const window = this.#buffer.slice(0, WINDOW);
    const candidates = [...window.matchAll(CANDIDATE)].reverse();
    let clause: Cut | undefined;
    let examinedTo = this.#examinedTo;
    for (const { index, 0: mark } of candidates) {
      const at = index + mark.length;
      if (at <= this.#examinedTo) break;
      // More of the space may come, and of the next line.
      if (at === this.#buffer.length && /\n\s*$/.test(mark) && !BLANK_LINE.test(mark)) continue;
      if (this.#buffer.length < at + NEXT_LINE_MIN && isBareLineEnd(mark)) continue;
      examinedTo = Math.max(examinedTo, at);
      const boundary = this.#boundaryAt(at, mark);
      if (boundary === undefined || boundary === 'phrase') continue;
      if (boundary === 'clause') {
        clause ??= { at, boundary };
        continue;
      }
      this.#best = { at, boundary };
      break;
    }
    if (this.#best === undefined || this.#best.boundary === 'clause') this.#best = clause ?? this.#best;
    this.#examinedTo = examinedTo;
  }

  /** What ends here, or undefined when the text cannot be cut here. */
  #boundaryAt(at: number, mark: string): Boundary | undefined {
    const before = this.#buffer.slice(0, at);
    if (!SPEAKABLE.test(before) || AFTER_FIGURE.test(before) || endsInsideMarkup(before)) return undefined;
    const follower = isBareLineEnd(mark) ? this.#buffer.slice(at, at + 60) : undefined;
    const after = findStableEnding(before, this.#options.verbalize, follower);
    if (after === undefined) return undefined;
    if (BLANK_LINE.test(before)) return 'paragraph';
    if (/[.!?…]/.test(after)) return 'sentence';
    return /[,;:—]/.test(after) ? 'clause' : 'phrase';
  }

  /** For text without marks: between two words where nothing is split, and at last anywhere. */
  #cutBetweenWords(): Cut | undefined {
    const window = this.#buffer.slice(0, Math.min(this.#buffer.length - 1, WINDOW));
    const spaces = [...window.matchAll(/\s+/g)].reverse().map(({ index, 0: space }) => index + space.length);
    const isForced = this.#buffer.length > BUFFER_MAX;
    const stable = spaces.find((at) => at > UNPUNCTUATED_MAX / 3 && this.#boundaryAt(at, ' ') !== undefined);
    if (stable !== undefined) return { at: stable, boundary: 'phrase' };
    if (!isForced) return undefined;
    const loose = spaces.find((at) => !endsInsideMarkup(this.#buffer.slice(0, at)));
    return { at: loose ?? lengthOfCompleteCharacters(window), boundary: 'phrase' };
  }
}

function isBareLineEnd(mark: string): boolean {
  return /^\n/.test(mark) && !BLANK_LINE.test(mark);
}

/** The length of a text without half a character at its end. */
function lengthOfCompleteCharacters(text: string): number {
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}
