import { BREAK_STRENGTHS } from '../normalise/tokenizer.ts';
import type { Boundary, Piece, PlacedCue, PlacedMark, PlacedPause, SpokenWord } from '../piece.ts';
import type { Phrase } from './phrase-builder.ts';

/** Lengths of pieces, in characters of the original text. */
export interface PieceLengths {
  /** Maximum length of a piece, except for one indivisible expression. */
  readonly chunkLength: number;
  /** Shorter sentences are merged with the next one. */
  readonly minChunkLength: number;
  /** Target length of the first piece, for a low latency. */
  readonly firstPieceLength: number;
  /**
   * A first sentence of such a length is one piece: the engine starts to decode it before it has read all of it.
   * Absent: `firstPieceLength` applies to every first sentence.
   */
  readonly firstSentenceLengths?: LengthRange | undefined;
  /** The boundary of the last piece. */
  readonly finalBoundary: Boundary;
}

/** Lengths in characters, both included. */
export interface LengthRange {
  readonly min: number;
  readonly max: number;
}

/** Maximum estimated phonemes of a piece; it keeps the actual number well below 400. */
const PIECE_PHONEMES_MAX = 300;
/** The second and third piece grow gradually, so that playback of one covers the synthesis of the next. */
const SECOND_PIECE_LENGTH = 120;
const THIRD_PIECE_LENGTH = 200;
/** Factors on the target length: a first sentence up to the first is not split, without a clause end up to the second. */
const FIRST_SENTENCE_SLACK = 1.2;
const FIRST_PIECE_SLACK = 1.35;
const FIRST_PIECE_MIN = 20;
/** Ratio of phonemes to characters that is allowed for digits and symbols. */
const SPOKEN_SLACK = 1.6;
/** Minimum length of the rest of a sentence after a cut. */
const REMAINDER_MIN = 25;

/** Score of a piece end by break strength. */
const BREAK_SCORES: readonly number[] = [0, 0.3, 0.5, 0.9, 1.1, 2, 3];
/** Higher scores are at punctuation. */
const CLAUSE_SCORE_MIN = 0.5;

interface Limit {
  readonly isFirst: boolean;
  readonly length: number;
  /** A longer sentence is cut after a clause, even if it fits into `length`. */
  readonly sentenceLength: number;
  readonly phonemesMax: number;
  readonly min: number;
}

/** Yields undefined after each step of the source, and returns the result. */
type Steps<Result> = Generator<undefined, Result>;

/**
 * Groups phrases into pieces: sentences if they fit, else clauses, else cut between words. Passes on the steps of the
 * source (undefined).
 */
export function* splitPieces(
  phrases: Iterator<Phrase | undefined>,
  lengths: PieceLengths,
): Generator<Piece | undefined> {
  const queue = new PhraseQueue(phrases);
  for (let index = 0; !(yield* queue.isEmpty()); index++) {
    const limit = limitOf(index, lengths);
    const sentence = index === 0 ? yield* countFirstSentence(queue, limit, lengths) : undefined;
    const count = sentence ?? (yield* chooseCut(queue, limit));
    const taken = queue.take(count);
    // Cues after the last word are part of the last piece.
    const trailing = yield* queue.takeWordless();
    const isLast = yield* queue.isEmpty();
    yield buildPiece(index, taken, trailing, isLast ? lengths.finalBoundary : undefined);
  }
}

function limitOf(index: number, { chunkLength, minChunkLength, firstPieceLength }: PieceLengths): Limit {
  if (index === 0 && firstPieceLength < chunkLength) {
    const size = Math.min(chunkLength, firstPieceLength * FIRST_PIECE_SLACK);
    const sentenceLength = Math.min(chunkLength, firstPieceLength * FIRST_SENTENCE_SLACK);
    const phonemesMax = Math.min(PIECE_PHONEMES_MAX, size * SPOKEN_SLACK);
    return {
      isFirst: true,
      length: size,
      sentenceLength,
      phonemesMax,
      min: Math.min(FIRST_PIECE_MIN, size / 3),
    };
  }
  const ramp = index === 1 ? SECOND_PIECE_LENGTH : index === 2 ? THIRD_PIECE_LENGTH : chunkLength;
  const length = firstPieceLength < chunkLength ? Math.min(chunkLength, ramp) : chunkLength;
  const phonemesMax = index === 1 ? Math.min(PIECE_PHONEMES_MAX, length * SPOKEN_SLACK) : PIECE_PHONEMES_MAX;
  return {
    isFirst: false,
    length,
    sentenceLength: length,
    phonemesMax,
    min: Math.min(minChunkLength, length),
  };
}

/**
 * The number of phrases of the first sentence if it is plain text within `firstSentenceLengths` that would be split.
 * Cues, pauses and prosody need the short first piece: an engine reads all of it before it decodes.
 */
function* countFirstSentence(
  queue: PhraseQueue,
  limit: Limit,
  { firstSentenceLengths }: PieceLengths,
): Steps<number | undefined> {
  if (firstSentenceLengths === undefined) return undefined;
  const { min, max } = firstSentenceLengths;
  const start = (yield* queue.at(0))!.start;
  let phonemes = 0;
  for (let i = 0; ; i++) {
    const phrase = queue.known(i) ?? (yield* queue.at(i));
    if (!phrase || !isPlain(phrase)) return undefined;
    phonemes += phrase.estimatedPhonemes;
    const length = phrase.end - start;
    if (length > max || phonemes > PIECE_PHONEMES_MAX) return undefined;
    const isSentence = phrase.breakStrength >= BREAK_STRENGTHS.sentence && length >= limit.min;
    const mustEnd = phrase.voiceChange !== 'none' || !(queue.known(i + 1) ?? (yield* queue.at(i + 1)));
    if (isSentence || mustEnd) return length >= min && length > limit.sentenceLength ? i + 1 : undefined;
  }
}

function isPlain({ words, cues, marks, silenceSeconds }: Phrase): boolean {
  const hasMarkup = cues.length > 0 || marks.length > 0 || silenceSeconds > 0;
  return words.length > 0 && !hasMarkup && words.every(({ prosody }) => prosody === undefined);
}

/** The number of phrases of the next piece; at least one. */
function* chooseCut(queue: PhraseQueue, limit: Limit): Steps<number> {
  const start = (yield* queue.at(0))!.start;
  let phonemes = 0;
  let best = { count: 1, score: Number.NEGATIVE_INFINITY };
  for (let i = 0; ; i++) {
    const phrase = queue.known(i) ?? (yield* queue.at(i));
    if (!phrase || phrase.words.length === 0) return i;
    phonemes += phrase.estimatedPhonemes;
    const length = phrase.end - start;
    if (i > 0 && (length > limit.length || phonemes > limit.phonemesMax)) return best.count;
    const size = Math.max(length, phonemes);
    const mustEnd =
      phrase.breakStrength === BREAK_STRENGTHS.paragraph ||
      phrase.voiceChange !== 'none' ||
      !(queue.known(i + 1) ?? (yield* queue.at(i + 1)));
    if (mustEnd || (phrase.breakStrength === BREAK_STRENGTHS.sentence && size >= limit.min)) {
      // A clause of suitable length is a better first piece than a long sentence.
      return length > limit.sentenceLength && best.score > CLAUSE_SCORE_MIN ? best.count : i + 1;
    }
    const score = yield* scoreOf(phrase, size, limit, queue, i);
    if (score >= best.score) best = { count: i + 1, score };
  }
}

/** The score of a piece end within a sentence that does not fit. */
function* scoreOf(
  phrase: Phrase,
  size: number,
  limit: Limit,
  queue: PhraseQueue,
  index: number,
): Steps<number> {
  const strength = BREAK_SCORES[phrase.breakStrength]!;
  const fill = size / limit.length;
  const tooShort = size < limit.min ? 1 : 0;
  const leavesShortRemainder = (yield* isRemainderTooShort(queue, index + 1)) ? 0.4 : 0;
  // The first piece prefers the earliest clause of sufficient length, later pieces the longest.
  const position = limit.isFirst ? -Math.abs(fill - 0.6) : fill;
  return strength + position - tooShort - leavesShortRemainder;
}

/** Whether the rest of the sentence after a cut would be too short. */
function* isRemainderTooShort(queue: PhraseQueue, index: number): Steps<boolean> {
  const first = queue.known(index) ?? (yield* queue.at(index));
  if (!first) return false;
  for (let i = index; ; i++) {
    const phrase = queue.known(i) ?? (yield* queue.at(i));
    if (!phrase || phrase.end - first.start >= REMAINDER_MIN) return false;
    if (phrase.breakStrength >= BREAK_STRENGTHS.sentence) return true;
  }
}

function buildPiece(
  index: number,
  phrases: readonly Phrase[],
  trailing: Phrase | undefined,
  finalBoundary: Boundary | undefined,
): Piece {
  const words: SpokenWord[] = [];
  const cues: PlacedCue[] = [];
  const marks: PlacedMark[] = [];
  const pauses: PlacedPause[] = [];
  for (const phrase of trailing ? [...phrases, trailing] : phrases) {
    const wordIndex = words.length;
    for (const cue of phrase.cues) cues.push({ wordIndex, ...cue });
    for (const mark of phrase.marks) marks.push({ wordIndex, ...mark });
    if (phrase.silenceSeconds > 0) pauses.push({ seconds: phrase.silenceSeconds, wordIndex });
    words.push(...phrase.words);
  }
  const last = phrases.at(-1) ?? trailing!;
  const final = words.at(-1);
  const isOpen = final !== undefined && !/[.!?…,;:—]/.test(final.after);
  const boundary = finalBoundary ?? boundaryOf(last, isOpen);
  if (isOpen) words[words.length - 1] = withPunctuation(final, boundary);
  const leads = [cues[0]?.start, marks[0]?.start].filter((place) => place !== undefined);
  return {
    index,
    words,
    cues,
    ...(pauses.length > 0 && { pauses }),
    ...(marks.length > 0 && { marks }),
    ...(phrases[0] ?? trailing)!.voiceContext,
    boundary,
    start: Math.min(phrases[0]?.start ?? trailing!.start, ...leads),
    end: Math.max(last.end, trailing?.end ?? 0),
  };
}

function boundaryOf(last: Phrase, isOpen: boolean): Boundary {
  if (last.breakStrength === BREAK_STRENGTHS.paragraph) return 'paragraph';
  if (last.breakStrength === BREAK_STRENGTHS.sentence || last.voiceChange === 'speaker') return 'sentence';
  return isOpen ? 'phrase' : 'clause';
}

/** Adds the punctuation that corresponds to the boundary: an engine receives the words only. */
function withPunctuation(word: SpokenWord, boundary: Boundary): SpokenWord {
  const stop = boundary === 'phrase' ? ',' : '.';
  return {
    ...word,
    after: word.after.endsWith('”') ? `${word.after.slice(0, -1)}${stop}”` : word.after + stop,
  };
}

/** Phrases with the lookahead that a decision needs, and no more. */
class PhraseQueue {
  readonly #source: Iterator<Phrase | undefined>;
  #ahead: Phrase[] = [];
  #isExhausted = false;

  constructor(source: Iterator<Phrase | undefined>) {
    this.#source = source;
  }

  /** The phrase if it was read before, without a generator for it. */
  known(index: number): Phrase | undefined {
    return this.#ahead[index];
  }

  *at(index: number): Steps<Phrase | undefined> {
    while (this.#ahead.length <= index && !this.#isExhausted) {
      const next = this.#source.next();
      if (next.done) this.#isExhausted = true;
      else if (next.value === undefined) yield undefined;
      else this.#ahead.push(next.value);
    }
    return this.#ahead[index];
  }

  *isEmpty(): Steps<boolean> {
    return (yield* this.at(0)) === undefined;
  }

  take(count: number): Phrase[] {
    return this.#ahead.splice(0, count);
  }

  *takeWordless(): Steps<Phrase | undefined> {
    return (yield* this.at(0))?.words.length === 0 ? this.#ahead.shift() : undefined;
  }
}
