import type { EnglishAccentName, Piece, SpokenWord } from '../../../text/piece.ts';
import {
  combineDeliveries,
  type Delivery,
  intensify,
  isNeutral,
  NEUTRAL_DELIVERY,
} from '../../engines/delivery.ts';
import type { Insertion, Utterance } from '../../engines/tts-engine.ts';
import type { DirectedRange } from './directed-range.ts';
import { toDeliveries } from './prosody-delivery.ts';
import { type ResolvedCue, resolveCue } from './resolve-cue.ts';

/** The effect of the cues, prosody and explicit pauses of one piece. */
export interface ActingPlan {
  /** Replaces the corresponding fields of the utterance. */
  readonly utterance: Pick<Utterance, 'words' | 'deliveries' | 'insertions'>;
  /** Silence before the first and after the last audio of the piece. */
  readonly leadingPauseSeconds: number;
  readonly trailingPauseSeconds: number;
}

/** A piece with its acting plan. Absent: neutral delivery. */
export interface ActedPiece extends Piece {
  readonly acting?: ActingPlan;
}

/** Limits of the silence that cues and markup can insert. Silence beyond them is left out. */
export interface SilenceLimits {
  /** Maximum inserted silence per piece. */
  readonly pieceSilenceMaxSeconds: number;
  /** Maximum inserted silence per request or live session. */
  readonly silenceMaxSeconds: number;
}

export const UNLIMITED_SILENCE: SilenceLimits = {
  pieceSilenceMaxSeconds: Number.POSITIVE_INFINITY,
  silenceMaxSeconds: Number.POSITIVE_INFINITY,
};

/** Maximum number of vocal sounds in one piece; the engine synthesizes them in one step. Others are left out. */
const VOCAL_SOUNDS_PER_PIECE_MAX = 20;
const SENTENCE_END = /[.!?。！？]/;
const PUNCTUATION = /[.!?…,;:—。！？、，；：]/;

/** The active cues of one kind, and the number of the word they were set at. */
interface Slot {
  readonly sinceWord: number;
  readonly deliveries: Partial<Delivery>[];
}

const EMPTY_SLOT: Slot = { sinceWord: -1, deliveries: [] };

/** Adds the acting plan to each piece. */
export function* actPieces(
  pieces: Iterable<Piece>,
  limits: SilenceLimits = UNLIMITED_SILENCE,
): Generator<ActedPiece> {
  const scope = new CueScope(limits);
  for (const piece of pieces) {
    const acting = scope.act(piece);
    yield acting === undefined ? piece : { ...piece, acting };
  }
}

/**
 * The active cues of a text; its pieces are processed in order. An emotion or a tone lasts until the next cue of
 * its kind or the end of the sentence, also across pieces. Adjacent cues are combined.
 */
export class CueScope {
  readonly #pieceSilenceMaxSeconds: number;
  /** Silence that the request may still insert. */
  #silenceLeftSeconds: number;
  #wordCount = 0;
  #emotion = EMPTY_SLOT;
  #tone = EMPTY_SLOT;
  #accent: EnglishAccentName | undefined;
  #nextWord: Partial<Delivery>[] = [];
  /** Combined delivery of the emotion and tone slots; undefined after a slot has changed. */
  #sustained: Delivery | undefined;
  readonly #ranges: readonly DirectedRange[];
  /** Index of the first range that does not end before the current word. */
  #range = 0;

  /** `ranges` are in order and do not overlap. Their deliveries are combined with those of the cues. */
  constructor(
    { pieceSilenceMaxSeconds, silenceMaxSeconds }: SilenceLimits,
    ranges: readonly DirectedRange[] = [],
  ) {
    this.#pieceSilenceMaxSeconds = pieceSilenceMaxSeconds;
    this.#silenceLeftSeconds = silenceMaxSeconds;
    this.#ranges = ranges;
  }

  /** Undefined for a piece without cues, prosody or pauses. */
  act(piece: Piece): ActingPlan | undefined {
    const hasDirections = this.#ranges.length > 0 || piece.words.some((word) => word.prosody !== undefined);
    if (!this.#hasActiveCue() && piece.cues.length === 0 && !piece.pauses?.length && !hasDirections) {
      this.#wordCount += piece.words.length;
      return undefined;
    }
    const insertionList = new InsertionList(Math.min(this.#pieceSilenceMaxSeconds, this.#silenceLeftSeconds));
    const markup = new MarkupCursor(piece);
    const deliveries: Delivery[] = [];
    const words: SpokenWord[] = [];
    for (let index = 0; index <= piece.words.length; index++) {
      this.#applyMarksBefore(markup, index, insertionList);
      const word = piece.words[index];
      if (word === undefined) break;
      const range = this.#rangeOf(word);
      deliveries.push(this.#deliveryFor(word, range));
      const accent = this.#accent ?? range?.accent;
      words.push(accent === undefined ? word : { ...word, accent });
      this.#wordCount++;
      if (SENTENCE_END.test(word.after)) this.#reset();
    }
    if (piece.boundary !== 'phrase' && piece.boundary !== 'clause') this.#reset();
    this.#silenceLeftSeconds -= insertionList.silenceSeconds;
    const { inside, leadingPauseSeconds, trailingPauseSeconds } = insertionList.split(piece.words.length);
    return {
      utterance: {
        words: insertionList.addCommasBeforeInsertions(words),
        ...(deliveries.some((delivery) => !isNeutral(delivery)) && { deliveries }),
        ...(inside.length > 0 && { insertions: inside }),
      },
      leadingPauseSeconds,
      trailingPauseSeconds,
    };
  }

  /** Applies the cues and pauses before this word. */
  #applyMarksBefore(markup: MarkupCursor, wordIndex: number, insertionList: InsertionList): void {
    for (const mark of markup.before(wordIndex)) {
      if (mark.kind === 'pause') {
        insertionList.add(wordIndex, { kind: 'pause', seconds: mark.seconds });
        continue;
      }
      const resolution = resolveCue(mark.name);
      if (resolution === 'reset') this.#reset();
      else for (const resolved of resolution) this.#apply(resolved, wordIndex, insertionList);
    }
  }

  #apply({ cue, intensity }: ResolvedCue, wordIndex: number, insertionList: InsertionList): void {
    const { kind, delivery, sound, pauseSeconds, accent } = cue;
    if (accent !== undefined) this.#accent = accent;
    if (pauseSeconds !== undefined) {
      insertionList.add(wordIndex, { kind: 'pause', seconds: pauseSeconds * intensity });
    }
    if (sound !== undefined) insertionList.add(wordIndex, { kind: 'sound', sound, intensity });
    if (delivery === undefined) return;
    const scaled = intensify(delivery, intensity);
    if (kind === 'word') this.#nextWord.push(scaled);
    else if (kind === 'emotion') this.#emotion = this.#extendSlot(this.#emotion, scaled);
    else this.#tone = this.#extendSlot(this.#tone, scaled);
    this.#sustained = undefined;
  }

  /** A cue is combined with cues at the same word and replaces earlier ones. */
  #extendSlot(slot: Slot, scaled: Partial<Delivery>): Slot {
    if (slot.sinceWord !== this.#wordCount) return { sinceWord: this.#wordCount, deliveries: [scaled] };
    slot.deliveries.push(scaled);
    return slot;
  }

  #rangeOf({ start }: SpokenWord): DirectedRange | undefined {
    while ((this.#ranges[this.#range]?.end ?? Number.POSITIVE_INFINITY) <= start) this.#range++;
    const range = this.#ranges[this.#range];
    return range !== undefined && range.start <= start ? range : undefined;
  }

  #deliveryFor(word: SpokenWord, range: DirectedRange | undefined): Delivery {
    this.#sustained ??= combineDeliveries([...this.#emotion.deliveries, ...this.#tone.deliveries]);
    const own = [
      ...(range === undefined ? [] : [range.delivery]),
      ...this.#nextWord,
      ...(word.prosody === undefined ? [] : toDeliveries(word.prosody)),
    ];
    this.#nextWord = [];
    return own.length === 0 ? this.#sustained : combineDeliveries([this.#sustained, ...own]);
  }

  #hasActiveCue(): boolean {
    return (
      this.#emotion !== EMPTY_SLOT ||
      this.#tone !== EMPTY_SLOT ||
      this.#accent !== undefined ||
      this.#nextWord.length > 0
    );
  }

  #reset(): void {
    this.#emotion = EMPTY_SLOT;
    this.#tone = EMPTY_SLOT;
    this.#accent = undefined;
    this.#sustained = NEUTRAL_DELIVERY;
  }
}

/** Reads the cues and pauses of a piece in the order of its words. */
class MarkupCursor {
  readonly #cues: Piece['cues'];
  readonly #pauses: NonNullable<Piece['pauses']>;
  #nextCue = 0;
  #nextPause = 0;

  constructor({ cues, pauses = [] }: Piece) {
    this.#cues = cues;
    this.#pauses = pauses;
  }

  /** Cues, then pauses, before a word. A piece does not record their relative order. */
  *before(wordIndex: number): Generator<CueOrPause> {
    for (; this.#cues[this.#nextCue]?.wordIndex === wordIndex; this.#nextCue++) {
      yield { kind: 'cue', name: this.#cues[this.#nextCue]!.name };
    }
    for (; this.#pauses[this.#nextPause]?.wordIndex === wordIndex; this.#nextPause++) {
      yield { kind: 'pause', seconds: this.#pauses[this.#nextPause]!.seconds };
    }
  }
}

type CueOrPause =
  | { readonly kind: 'cue'; readonly name: string }
  | { readonly kind: 'pause'; readonly seconds: number };

/** Collects insertions and separates the silence at the ends of a piece from the insertions inside it. */
class InsertionList {
  readonly #insertions: Insertion[] = [];
  readonly #silenceMaxSeconds: number;
  #silenceSeconds = 0;
  #vocalSounds = 0;

  constructor(silenceMaxSeconds: number) {
    this.#silenceMaxSeconds = silenceMaxSeconds;
  }

  /** Total of the inserted pauses. */
  get silenceSeconds(): number {
    return this.#silenceSeconds;
  }

  /** Adds an insertion; shortens or omits it at the limits. */
  add(wordIndex: number, content: Insertion['content']): void {
    if (content.kind === 'sound') {
      if (++this.#vocalSounds <= VOCAL_SOUNDS_PER_PIECE_MAX) this.#insertions.push({ wordIndex, content });
      return;
    }
    const seconds = Math.min(content.seconds, this.#silenceMaxSeconds - this.#silenceSeconds);
    if (seconds <= 0 && content.seconds > 0) return;
    this.#silenceSeconds += seconds;
    this.#insertions.push({ wordIndex, content: { kind: 'pause', seconds } });
  }

  /** Gives the word before each insertion the intonation of a clause end. */
  addCommasBeforeInsertions(words: readonly SpokenWord[]): readonly SpokenWord[] {
    const before = new Set(this.#insertions.map(({ wordIndex }) => wordIndex - 1));
    if (!words.some((word, index) => before.has(index) && !PUNCTUATION.test(word.after))) return words;
    return words.map((word, index) =>
      before.has(index) && !PUNCTUATION.test(word.after) ? { ...word, after: `${word.after},` } : word,
    );
  }

  /** Separates leading and trailing pauses from the other insertions. */
  split(wordCount: number): {
    inside: readonly Insertion[];
    leadingPauseSeconds: number;
    trailingPauseSeconds: number;
  } {
    const isPause = ({ content }: Insertion) => content.kind === 'pause';
    const isVocalSound = (insertion: Insertion) => !isPause(insertion);
    const all = this.#insertions;
    const firstSound = all.findIndex(isVocalSound);
    const lastSound = all.findLastIndex(isVocalSound);
    const isLeading = (insertion: Insertion, index: number) =>
      isPause(insertion) && insertion.wordIndex === 0 && (firstSound < 0 || index < firstSound);
    const isTrailing = (insertion: Insertion, index: number) =>
      isPause(insertion) && insertion.wordIndex === wordCount && index > lastSound;
    const leading: Insertion[] = [];
    const trailing: Insertion[] = [];
    const inside: Insertion[] = [];
    for (const [index, entry] of all.entries()) {
      const list = isLeading(entry, index) ? leading : isTrailing(entry, index) ? trailing : inside;
      list.push(entry);
    }
    return {
      inside,
      leadingPauseSeconds: totalSeconds(leading),
      trailingPauseSeconds: totalSeconds(trailing),
    };
  }
}

function totalSeconds(insertions: readonly Insertion[]): number {
  return insertions.reduce((sum, { content }) => sum + (content.kind === 'pause' ? content.seconds : 0), 0);
}
