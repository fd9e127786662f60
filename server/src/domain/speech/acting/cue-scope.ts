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

/** How a piece is performed. Absent in a piece: it is read in the voice's own way. */
export interface ActingPlan {
  /** What the engine is given. */
  readonly utterance: Pick<Utterance, 'words' | 'deliveries' | 'insertions'>;
  /** Silence before and after everything else of the piece. */
  readonly leadingPauseSeconds: number;
  readonly trailingPauseSeconds: number;
}

/** A piece, and how it is performed where the text says so. */
export interface ActedPiece extends Piece {
  readonly acting?: ActingPlan;
}

const SENTENCE_END = /[.!?。！？]/;
const PUNCTUATION = /[.!?…,;:—。！？、，；：]/;

/** What one kind of cue does now, and since which word. */
interface Slot {
  readonly since: number;
  readonly deliveries: readonly Partial<Delivery>[];
}

const EMPTY_SLOT: Slot = { since: -1, deliveries: [] };

/** Adds to each piece how it is performed, as the cues and directions of the text want it. */
export function* actPieces(pieces: Iterable<Piece>): Generator<ActedPiece> {
  const scope = new CueScope();
  for (const piece of pieces) {
    const acting = scope.act(piece);
    yield acting === undefined ? piece : { ...piece, acting };
  }
}

/**
 * Walks the pieces of a text, in order, and knows at each word how it is to be said. An emotion or a tone lasts
 * until the next one of its kind or the end of its sentence, also across pieces; cues that stand side by side
 * add up.
 */
export class CueScope {
  #wordCount = 0;
  #emotion = EMPTY_SLOT;
  #tone = EMPTY_SLOT;
  #accent: EnglishAccentName | undefined;
  #nextWord: Partial<Delivery>[] = [];
  /** What the slots come to, until one of them changes. */
  #lasting: Delivery | undefined;

  /** Undefined for a piece without anything to act, which costs nothing. */
  act(piece: Piece): ActingPlan | undefined {
    const hasDirections = piece.words.some((word) => word.prosody !== undefined);
    if (!this.#isActing() && piece.cues.length === 0 && !piece.pauses?.length && !hasDirections) {
      this.#wordCount += piece.words.length;
      return undefined;
    }
    const places = new InsertionList();
    const deliveries: Delivery[] = [];
    const words: SpokenWord[] = [];
    for (let index = 0; index <= piece.words.length; index++) {
      this.#take(piece, index, places);
      const word = piece.words[index];
      if (word === undefined) break;
      deliveries.push(this.#deliveryFor(word));
      words.push(this.#accent === undefined ? word : { ...word, accent: this.#accent });
      this.#wordCount++;
      if (SENTENCE_END.test(word.after)) this.#reset();
    }
    if (piece.boundary !== 'phrase' && piece.boundary !== 'clause') this.#reset();
    const { inside, leadingPauseSeconds, trailingPauseSeconds } = places.split(piece.words.length);
    return {
      utterance: {
        words: places.breathBefore(words),
        ...(deliveries.some((delivery) => !isNeutral(delivery)) && { deliveries }),
        ...(inside.length > 0 && { insertions: inside }),
      },
      leadingPauseSeconds,
      trailingPauseSeconds,
    };
  }

  /** What stands before this word. */
  #take(piece: Piece, wordIndex: number, places: InsertionList): void {
    for (const mark of marksBefore(piece, wordIndex)) {
      if ('seconds' in mark) {
        places.add(wordIndex, { kind: 'pause', seconds: mark.seconds });
        continue;
      }
      const resolution = resolveCue(mark.name);
      if (resolution === 'reset') this.#reset();
      else for (const resolved of resolution) this.#apply(resolved, wordIndex, places);
    }
  }

  #apply({ cue, intensity }: ResolvedCue, wordIndex: number, places: InsertionList): void {
    const { kind, delivery, sound, pauseSeconds, accent } = cue;
    if (accent !== undefined) this.#accent = accent;
    if (pauseSeconds !== undefined) {
      places.add(wordIndex, { kind: 'pause', seconds: pauseSeconds * intensity });
    }
    if (sound !== undefined) places.add(wordIndex, { kind: 'sound', sound, intensity });
    if (delivery === undefined) return;
    const wanted = intensify(delivery, intensity);
    if (kind === 'word') this.#nextWord.push(wanted);
    else if (kind === 'emotion') this.#emotion = this.#renewed(this.#emotion, wanted);
    else this.#tone = this.#renewed(this.#tone, wanted);
    this.#lasting = undefined;
  }

  /** A cue adds to its neighbours in the same place, and replaces those of an earlier one. */
  #renewed(slot: Slot, wanted: Partial<Delivery>): Slot {
    const kept = slot.since === this.#wordCount ? slot.deliveries : [];
    return { since: this.#wordCount, deliveries: [...kept, wanted] };
  }

  #deliveryFor(word: SpokenWord): Delivery {
    this.#lasting ??= combineDeliveries([...this.#emotion.deliveries, ...this.#tone.deliveries]);
    const own = [...this.#nextWord, ...(word.prosody === undefined ? [] : toDeliveries(word.prosody))];
    this.#nextWord = [];
    return own.length === 0 ? this.#lasting : combineDeliveries([this.#lasting, ...own]);
  }

  #isActing(): boolean {
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
    this.#lasting = NEUTRAL_DELIVERY;
  }
}

/** Cues and pauses before a word. Their order among each other is not kept by a piece; pauses come last. */
function marksBefore(piece: Piece, wordIndex: number): readonly (PlacedCue | PlacedPause)[] {
  return [...piece.cues, ...(piece.pauses ?? [])].filter((mark) => mark.wordIndex === wordIndex);
}

/** Collects sounds and pauses, and tells those inside a piece from the silence at its ends. */
class InsertionList {
  readonly #insertions: Insertion[] = [];

  add(wordIndex: number, content: Insertion['content']): void {
    this.#insertions.push({ wordIndex, content });
  }

  /** A voice that will pause says the word before as one does before a comma. */
  breathBefore(words: readonly SpokenWord[]): readonly SpokenWord[] {
    const before = new Set(this.#insertions.map(({ wordIndex }) => wordIndex - 1));
    if (!words.some((word, index) => before.has(index) && !PUNCTUATION.test(word.after))) return words;
    return words.map((word, index) =>
      before.has(index) && !PUNCTUATION.test(word.after) ? { ...word, after: `${word.after},` } : word,
    );
  }

  /** The silence at both ends of the piece, and what is left between. */
  split(wordCount: number): {
    inside: readonly Insertion[];
    leadingPauseSeconds: number;
    trailingPauseSeconds: number;
  } {
    const isPause = ({ content }: Insertion) => content.kind === 'pause';
    const isSpeech = (insertion: Insertion) => !isPause(insertion);
    const all = this.#insertions;
    const firstSound = all.findIndex(isSpeech);
    const lastSound = all.findLastIndex(isSpeech);
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
