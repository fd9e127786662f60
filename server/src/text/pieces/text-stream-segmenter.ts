import { endsInsideMarkup } from '../markup/open-markup.ts';
import { findStableEnding, type VerbalizeWords } from '../normalise/stable-ending.ts';
import type { Boundary } from '../piece.ts';

/** A segment of streamed text. Later text does not change its words. */
export interface TextSegment {
  readonly text: string;
  /** UTF-16 offset into the complete text. */
  readonly start: number;
  readonly boundary: Boundary;
}

export interface TextStreamSegmenterOptions {
  readonly verbalize: VerbalizeWords;
  /** An incomplete sentence longer than this is emitted clause by clause. */
  readonly clauseLength: number;
}

/** Minimum length of the first clause; it is short for a low latency. */
const FIRST_CLAUSE_MIN = 16;
/** Text without punctuation is cut between words beyond this length. */
const UNPUNCTUATED_MAX = 300;
/** Maximum buffered length, except for SSML. Beyond it a cut is forced. */
const BUFFER_MAX = 1500;
/** Maximum length of a segment. */
const WINDOW = 900;

/** Candidate boundaries: punctuation and a space, punctuation of a script without spaces, or a line break. */
const CANDIDATE =
  /[.,;:!?…—–)\]”"'’»।][”"'’)\]»*_]{0,8}\s+|[。！？，、；：][」』”）)】》。！？…]{0,8}(?=[^\s」』”）)】》。！？…])|\n\s*/gu;
const BLANK_LINE = /\n\s*\n\s*$/;
const CLAUSE_END = /[,;:—–，、；：][”"'’)\]»」』）】》*_]*\s*$/u;
/** A segment must contain a word: "1." does not. */
const SPEAKABLE = /\p{L}\p{L}|\p{Lo}/u;
/** Lookahead into the next line that a decision at a line break needs. */
const NEXT_LINE_MIN = 12;
/** A comma after a digit may be inside a date or a list of numbers, which are not split. */
const AFTER_DIGIT = /\d[,:]\s*$/;
const SSML_START = /^\s*<speak[\s>]/i;
const SSML_END = /<\/speak\s*>/i;

interface Cut {
  readonly at: number;
  readonly boundary: Boundary;
}

/**
 * Incremental segmentation of streamed text, such as the output of a language model, into sentences, or clauses of
 * long sentences. The words of the segments equal those of the complete text for any division into chunks: numbers,
 * abbreviations, cues and tags are never split. One exception: whether a line break only wraps a long line is decided
 * from the part of the line that has arrived.
 */
export class TextStreamSegmenter {
  readonly #options: TextStreamSegmenterOptions;
  /** Text that was not emitted yet, and its offset in the complete text. */
  #buffer = '';
  #start = 0;
  /** Length of the buffered text that must be emitted, even if incomplete. */
  #flushed = 0;
  #hasEnded = false;
  #hasEmitted = false;
  /** Candidates up to here were examined; the best of them is `#best`. */
  #examinedTo = 0;
  #best: Cut | undefined;

  constructor(options: TextStreamSegmenterOptions) {
    this.#options = options;
  }

  /** Number of characters that were not emitted yet. */
  get bufferedLength(): number {
    return this.#buffer.length;
  }

  append(text: string): void {
    this.#buffer += text;
  }

  /** Emits all buffered text, even if incomplete. */
  flush(): void {
    this.#flushed = this.#buffer.length;
  }

  /** Marks the text as complete. */
  end(): void {
    this.flush();
    this.#hasEnded = true;
  }

  /** The next segment; undefined until more text arrives. */
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

  /** Finds the last sentence end in the window, else the last clause end. Each candidate is examined once. */
  #examine(): void {
    const window = this.#buffer.slice(0, WINDOW);
    const candidates = [...window.matchAll(CANDIDATE)].reverse();
    let clause: Cut | undefined;
    let examinedTo = this.#examinedTo;
    for (const { index, 0: mark } of candidates) {
      const at = index + mark.length;
      if (at <= this.#examinedTo) break;
      // More white space, or more of the next line, may arrive.
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

  /** The boundary at a position; undefined if the text cannot be cut there. */
  #boundaryAt(at: number, mark: string): Boundary | undefined {
    const before = this.#buffer.slice(0, at);
    if (!SPEAKABLE.test(before) || AFTER_DIGIT.test(before) || endsInsideMarkup(before)) return undefined;
    const continuation = isBareLineEnd(mark) ? this.#buffer.slice(at, at + 60) : undefined;
    const ending = findStableEnding(before, this.#options.verbalize, continuation);
    if (ending === undefined) return undefined;
    if (BLANK_LINE.test(before)) return 'paragraph';
    if (/[.!?…]/.test(ending.punctuation)) return 'sentence';
    return /[,;:—]/.test(ending.punctuation) ? 'clause' : 'phrase';
  }

  /** For text without punctuation: between two words where no expression is split; if forced, anywhere. */
  #cutBetweenWords(): Cut | undefined {
    const window = this.#buffer.slice(0, Math.min(this.#buffer.length - 1, WINDOW));
    const spaces = [...window.matchAll(/\s+/g)].reverse().map(({ index, 0: space }) => index + space.length);
    const isForced = this.#buffer.length > BUFFER_MAX;
    const stable = spaces.find((at) => at > UNPUNCTUATED_MAX / 3 && this.#boundaryAt(at, ' ') !== undefined);
    if (stable !== undefined) return { at: stable, boundary: 'phrase' };
    if (!isForced) return undefined;
    const outsideMarkup = spaces.find((at) => !endsInsideMarkup(this.#buffer.slice(0, at)));
    return { at: outsideMarkup ?? lengthOfCompleteCharacters(window), boundary: 'phrase' };
  }
}

function isBareLineEnd(mark: string): boolean {
  return /^\n/.test(mark) && !BLANK_LINE.test(mark);
}

/** The length of a text without an incomplete surrogate pair at its end. */
function lengthOfCompleteCharacters(text: string): number {
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}
