import { endsInsideMarkup } from '../markup/open-markup.ts';
import { findStableEndingInSteps, type VerbalizeWords } from '../normalise/stable-ending.ts';
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
/** Maximum number of positions that are examined for one segment: each is verbalized with several continuations. */
const EXAMINED_MAX = 16;

/** Candidate boundaries: punctuation and a space, punctuation of a script without spaces, or a line break. */
const CANDIDATE =
  /[.,;:!?…—–)\]”"'’»।][”"'’)\]»*_]{0,8}\s+|[。！？，、；：][」』”）)】》。！？…]{0,8}(?=[^\s」』”）)】》。！？…])|\n\s*/gu;
const CLAUSE_END = /[,;:—–，、；：][”"'’)\]»」』）】》*_]*\s*$/u;
/** A segment must contain a word: "1." does not. The shorter alternative is first: it ends earlier. */
const SPEAKABLE = /\p{Lo}|\p{L}\p{L}/u;
/** Lookahead into the next line that a decision at a line break needs. */
const NEXT_LINE_MIN = 12;
/** A comma after a digit may be inside a date or a list of numbers, which are not split. */
const AFTER_DIGIT = /\d[,:]\s*$/;
const SSML_START = /^\s*<speak[\s>]/i;
const SSML_END = /<\/speak\s*>/i;
/** The text before the end of an SSML document is searched once, except for this part of the end tag. */
const SSML_END_OVERLAP = 100;

/** The steps of an operation: after each of them other work may run. */
type Steps<Result> = Generator<void, Result>;

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
  /** Number of positions that were examined for the next segment. */
  #examinedCount = 0;
  #ssmlSearchedTo = 0;

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
    const steps = this.nextSegmentInSteps();
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /** Same as `nextSegment`, in short steps. Text may be appended between them. */
  *nextSegmentInSteps(): Steps<TextSegment | undefined> {
    const cut = yield* this.#nextCut();
    if (cut === undefined) return undefined;
    const text = this.#buffer.slice(0, cut.at);
    const start = this.#start;
    this.#buffer = this.#buffer.slice(cut.at);
    this.#start += cut.at;
    this.#flushed = Math.max(0, this.#flushed - cut.at);
    this.#hasEmitted ||= SPEAKABLE.test(text);
    this.#examinedTo = 0;
    this.#examinedCount = 0;
    this.#best = undefined;
    const isLast = this.#hasEnded && this.#buffer === '';
    return { text, start, boundary: isLast ? 'end' : cut.boundary };
  }

  *#nextCut(): Steps<Cut | undefined> {
    if (this.#start === 0 && SSML_START.test(this.#buffer)) return this.#ssmlCut();
    if (this.#flushed > 0 && this.#flushed <= WINDOW) return this.#flushCut();
    yield* this.#examine();
    const best = this.#best;
    const clauseMin = this.#hasEmitted ? this.#options.clauseLength : FIRST_CLAUSE_MIN;
    if (best && (best.boundary !== 'clause' || best.at >= clauseMin)) return best;
    if (this.#buffer.length > UNPUNCTUATED_MAX) return best ?? (yield* this.#cutBetweenWords());
    return undefined;
  }

  #ssmlCut(): Cut | undefined {
    const from = Math.max(0, this.#ssmlSearchedTo - SSML_END_OVERLAP);
    const end = SSML_END.exec(this.#buffer.slice(from));
    this.#ssmlSearchedTo = this.#buffer.length;
    if (end) return { at: from + end.index + end[0].length, boundary: 'sentence' };
    return this.#flushed > 0 ? this.#flushCut() : undefined;
  }

  #flushCut(): Cut {
    const at = this.#flushed;
    const flushed = this.#buffer.slice(0, at);
    if (endsWithBlankLine(flushed)) return { at, boundary: 'paragraph' };
    return { at, boundary: CLAUSE_END.test(flushed) ? 'clause' : 'sentence' };
  }

  /** Finds the last sentence end in the window, else the last clause end. Each candidate is examined once. */
  *#examine(): Steps<void> {
    const window = this.#buffer.slice(0, WINDOW);
    const candidates = [...window.matchAll(CANDIDATE)].reverse();
    const earliest = Math.max(this.#examinedTo + 1, endOfFirstWord(window));
    let clause: Cut | undefined;
    let examinedTo = this.#examinedTo;
    for (const { index, 0: mark } of candidates) {
      const at = index + mark.length;
      if (at < earliest) break;
      // More white space, or more of the next line, may arrive.
      if (at === this.#buffer.length && mark.includes('\n') && !endsWithBlankLine(mark)) continue;
      if (this.#buffer.length < at + NEXT_LINE_MIN && isBareLineEnd(mark)) continue;
      examinedTo = Math.max(examinedTo, at);
      const boundary = yield* this.#boundaryAt(at, mark);
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

  /** The boundary at a position; undefined if the text cannot be cut there, or too many positions were examined. */
  *#boundaryAt(at: number, mark: string): Steps<Boundary | undefined> {
    if (this.#examinedCount >= EXAMINED_MAX) return undefined;
    yield;
    const before = this.#buffer.slice(0, at);
    if (AFTER_DIGIT.test(before) || endsInsideMarkup(before)) return undefined;
    this.#examinedCount++;
    const continuation = isBareLineEnd(mark) ? this.#buffer.slice(at, at + 60) : undefined;
    const ending = yield* findStableEndingInSteps(before, this.#options.verbalize, continuation);
    if (ending === undefined) return undefined;
    if (endsWithBlankLine(before)) return 'paragraph';
    if (/[.!?…]/.test(ending.punctuation)) return 'sentence';
    return /[,;:—]/.test(ending.punctuation) ? 'clause' : 'phrase';
  }

  /** For text without punctuation: between two words where no expression is split; if forced, anywhere. */
  *#cutBetweenWords(): Steps<Cut | undefined> {
    const window = this.#buffer.slice(0, Math.min(this.#buffer.length - 1, WINDOW));
    const spaces = [...window.matchAll(/\s+/g)].reverse().map(({ index, 0: space }) => index + space.length);
    const earliest = Math.max(UNPUNCTUATED_MAX / 3 + 1, endOfFirstWord(window));
    for (const at of spaces) {
      if (at < earliest) break;
      if ((yield* this.#boundaryAt(at, ' ')) !== undefined) return { at, boundary: 'phrase' };
    }
    const isForced = this.#buffer.length > BUFFER_MAX || this.#flushed > WINDOW;
    if (!isForced) return undefined;
    const outsideMarkup = spaces.find((at) => !endsInsideMarkup(this.#buffer.slice(0, at)));
    return { at: outsideMarkup ?? lengthOfCompleteCharacters(window), boundary: 'phrase' };
  }
}

/** The end of the first word of a text; infinite if there is none. A shorter segment has no word. */
function endOfFirstWord(text: string): number {
  const match = SPEAKABLE.exec(text);
  return match ? match.index + match[0].length : Number.POSITIVE_INFINITY;
}

function isBareLineEnd(mark: string): boolean {
  return mark.startsWith('\n') && !endsWithBlankLine(mark);
}

/** Whether the white space at the end of a text contains two line breaks. */
function endsWithBlankLine(text: string): boolean {
  const space = text.slice(text.trimEnd().length);
  return space.indexOf('\n') !== space.lastIndexOf('\n');
}

/** The length of a text without an incomplete surrogate pair at its end. */
function lengthOfCompleteCharacters(text: string): number {
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}
