import { BREAK_STRENGTHS } from '../normalise/tokenizer.ts';
import type { Boundary, Piece, PlacedCue, PlacedMark, PlacedPause, SpokenWord } from '../piece.ts';
import type { Phrase } from './phrase-builder.ts';

/** How long pieces may become, in characters of the original text. */
export interface PieceLengths {
  /** No piece but the first is longer, except for one indivisible expression. */
  readonly chunkLength: number;
  /** Shorter sentences are joined with the next. */
  readonly minChunkLength: number;
  /** The first piece aims at this, so that audio starts early. */
  readonly firstPieceLength: number;
  /** What ends the last piece. */
  readonly finalBoundary: Boundary;
}

/** Keeps a piece well below 400 phonemes, whatever its figures and signs expand to. */
const PIECE_PHONEMES_MAX = 300;
/** Later pieces grow step by step, so that playback of one covers the making of the next. */
const SECOND_PIECE_LENGTH = 120;
const THIRD_PIECE_LENGTH = 200;
/** A first sentence that is only a little too long stays whole, and longer still when no clause ends in it. */
const FIRST_SENTENCE_SLACK = 1.2;
const FIRST_PIECE_SLACK = 1.35;
const FIRST_PIECE_MIN = 20;
/** Figures and signs are longer in speech than in writing. */
const SPOKEN_SLACK = 1.6;
/** What remains of a sentence after a cut should be worth speaking on its own. */
const REMAINDER_MIN = 25;

/** What each of `PAUSES` is worth as the end of a piece. */
const STRENGTHS: readonly number[] = [0, 0.3, 0.5, 0.9, 1.1, 2, 3];
/** Scores above this have punctuation behind them. */
const CLAUSE_SCORE_MIN = 0.5;

interface Limit {
  readonly isFirst: boolean;
  readonly length: number;
  /** Beyond this a sentence is cut after a clause, although it would fit. */
  readonly sentenceLength: number;
  readonly phonemesMax: number;
  readonly min: number;
}

/** Cuts phrases into pieces to be spoken: sentences where they fit, else clauses, else between words. */
export function* splitPieces(phrases: Iterator<Phrase>, lengths: PieceLengths): Generator<Piece> {
  const queue = new PhraseQueue(phrases);
  for (let index = 0; !queue.isEmpty(); index++) {
    const limit = limitOf(index, lengths);
    const count = chooseCut(queue, limit);
    const taken = queue.take(count);
    // Cues after the very last word have no piece of their own.
    const trailing = queue.takeWordless();
    yield buildPiece(index, taken, trailing, queue.isEmpty() ? lengths.finalBoundary : undefined);
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

/** How many phrases the next piece takes; at least one. */
function chooseCut(queue: PhraseQueue, limit: Limit): number {
  const start = queue.at(0)!.start;
  let phonemes = 0;
  let best = { count: 1, score: Number.NEGATIVE_INFINITY };
  for (let i = 0; ; i++) {
    const phrase = queue.at(i);
    if (!phrase || phrase.words.length === 0) return i;
    phonemes += phrase.estimatedPhonemes;
    const length = phrase.end - start;
    if (i > 0 && (length > limit.length || phonemes > limit.phonemesMax)) return best.count;
    const size = Math.max(length, phonemes);
    const mustEnd =
      phrase.breakStrength === BREAK_STRENGTHS.paragraph || phrase.voiceChange !== false || !queue.at(i + 1);
    if (mustEnd || (phrase.breakStrength === BREAK_STRENGTHS.sentence && size >= limit.min)) {
      // A clause that ended in time makes a better first piece than a sentence that is rather long.
      return length > limit.sentenceLength && best.score > CLAUSE_SCORE_MIN ? best.count : i + 1;
    }
    const score = scoreOf(phrase, size, limit, queue, i);
    if (score >= best.score) best = { count: i + 1, score };
  }
}

/** The value of ending the piece here, if the sentence does not fit as a whole. */
function scoreOf(phrase: Phrase, size: number, limit: Limit, queue: PhraseQueue, index: number): number {
  const strength = STRENGTHS[phrase.breakStrength]!;
  const fill = size / limit.length;
  const tooShort = size < limit.min ? 1 : 0;
  const leavesShortRemainder = isRemainderTooShort(queue, index + 1) ? 0.4 : 0;
  // The first piece wants the earliest clause that is long enough; later ones want to be full.
  const position = limit.isFirst ? -Math.abs(fill - 0.6) : fill;
  return strength + position - tooShort - leavesShortRemainder;
}

/** Whether the sentence ends so soon after a cut that the rest would be a crumb. */
function isRemainderTooShort(queue: PhraseQueue, index: number): boolean {
  const first = queue.at(index);
  if (!first) return false;
  for (let i = index; ; i++) {
    const phrase = queue.at(i);
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
  if (isOpen) words[words.length - 1] = closed(final, boundary);
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

/** An engine hears only the words, so a piece that ends without punctuation gets what its boundary means. */
function closed(word: SpokenWord, boundary: Boundary): SpokenWord {
  const stop = boundary === 'phrase' ? ',' : '.';
  return {
    ...word,
    after: word.after.endsWith('”') ? `${word.after.slice(0, -1)}${stop}”` : word.after + stop,
  };
}

/** Phrases read as far ahead as a decision needs, and no further. */
class PhraseQueue {
  readonly #source: Iterator<Phrase>;
  #ahead: Phrase[] = [];
  #isExhausted = false;

  constructor(source: Iterator<Phrase>) {
    this.#source = source;
  }

  at(index: number): Phrase | undefined {
    while (this.#ahead.length <= index && !this.#isExhausted) {
      const next = this.#source.next();
      if (next.done) this.#isExhausted = true;
      else this.#ahead.push(next.value);
    }
    return this.#ahead[index];
  }

  isEmpty(): boolean {
    return this.at(0) === undefined;
  }

  take(count: number): Phrase[] {
    return this.#ahead.splice(0, count);
  }

  takeWordless(): Phrase | undefined {
    return this.at(0)?.words.length === 0 ? this.#ahead.shift() : undefined;
  }
}
