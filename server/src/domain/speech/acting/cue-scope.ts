import type { EnglishAccentName, Piece, PlacedCue, PlacedPause, SpokenWord } from '../../../text/piece.ts';
import {
  combineDeliveries,
  type Delivery,
  intensify,
  isNeutral,
  NEUTRAL_DELIVERY,
} from '../../engines/delivery.ts';
import type { Insertion, Utterance } from '../../engines/tts-engine.ts';
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

const SENTENCE_END = /[.!?。！？]/;
const PUNCTUATION = /[.!?…,;:—。！？、，；：]/;

/** The active cues of one kind, and the number of the word they were set at. */
interface Slot {
  readonly sinceWord: number;
  readonly deliveries: readonly Partial<Delivery>[];
}

const EMPTY_SLOT: Slot = { sinceWord: -1, deliveries: [] };

/** Adds the acting plan to each piece. */
export function* actPieces(pieces: Iterable<Piece>): Generator<ActedPiece> {
  const scope = new CueScope();
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
  #wordCount = 0;
  #emotion = EMPTY_SLOT;
  #tone = EMPTY_SLOT;
  #accent: EnglishAccentName | undefined;
  #nextWord: Partial<Delivery>[] = [];
  /** Combined delivery of the emotion and tone slots; undefined after a slot has changed. */
  #sustained: Delivery | undefined;

  /** Undefined for a piece without cues, prosody or pauses. */
  act(piece: Piece): ActingPlan | undefined {
    const hasDirections = piece.words.some((word) => word.prosody !== undefined);
    if (!this.#hasActiveCue() && piece.cues.length === 0 && !piece.pauses?.length && !hasDirections) {
      this.#wordCount += piece.words.length;
      return undefined;
    }
    const insertionList = new InsertionList();
    const deliveries: Delivery[] = [];
    const words: SpokenWord[] = [];
    for (let index = 0; index <= piece.words.length; index++) {
      this.#applyMarksBefore(piece, index, insertionList);
      const word = piece.words[index];
      if (word === undefined) break;
      deliveries.push(this.#deliveryFor(word));
      words.push(this.#accent === undefined ? word : { ...word, accent: this.#accent });
      this.#wordCount++;
      if (SENTENCE_END.test(word.after)) this.#reset();
    }
    if (piece.boundary !== 'phrase' && piece.boundary !== 'clause') this.#reset();
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
  #applyMarksBefore(piece: Piece, wordIndex: number, insertionList: InsertionList): void {
    for (const mark of marksBefore(piece, wordIndex)) {
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
    const concurrent = slot.sinceWord === this.#wordCount ? slot.deliveries : [];
    return { sinceWord: this.#wordCount, deliveries: [...concurrent, scaled] };
  }

  #deliveryFor(word: SpokenWord): Delivery {
    this.#sustained ??= combineDeliveries([...this.#emotion.deliveries, ...this.#tone.deliveries]);
    const own = [...this.#nextWord, ...(word.prosody === undefined ? [] : toDeliveries(word.prosody))];
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

/** Cues, then pauses, before a word. A piece does not record their relative order. */
function marksBefore(piece: Piece, wordIndex: number): readonly CueOrPause[] {
  const isHere = (mark: PlacedCue | PlacedPause) => mark.wordIndex === wordIndex;
  return [
    ...piece.cues.filter(isHere).map(({ name }) => ({ kind: 'cue', name }) as const),
    ...(piece.pauses ?? []).filter(isHere).map(({ seconds }) => ({ kind: 'pause', seconds }) as const),
  ];
}

type CueOrPause =
  | { readonly kind: 'cue'; readonly name: string }
  | { readonly kind: 'pause'; readonly seconds: number };

/** Collects insertions and separates the silence at the ends of a piece from the insertions inside it. */
class InsertionList {
  readonly #insertions: Insertion[] = [];

  add(wordIndex: number, content: Insertion['content']): void {
    this.#insertions.push({ wordIndex, content });
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
    const leading = all.filter(isLeading);
    const trailing = all.filter((entry, index) => isTrailing(entry, index) && !isLeading(entry, index));
    const inside = all.filter((entry) => !leading.includes(entry) && !trailing.includes(entry));
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
