import type { Utterance } from '../../../domain/engines/tts-engine.ts';

/** Speaker vectors that a worker keeps. That of a clone has 223 KB. */
const VECTORS_MAX = 16;
const NO_VALUES = new Float32Array(0);

/** An utterance as it is sent to a worker. */
export interface SentUtterance {
  readonly utterance: Utterance;
  /** Where the worker keeps the speaker vector of the voice. Without `values` in the voice it is there already. */
  readonly vectorSlot?: number;
}

/** The parent's side: which vectors the worker has. A vector is sent once, not with each utterance. */
export class SentVectors {
  /** The least recently used one comes first. */
  readonly #slots = new Map<Float32Array, number>();

  /** Call it immediately before the utterance is sent. */
  pack(utterance: Utterance): SentUtterance {
    const { voice } = utterance;
    if (voice.kind !== 'vector') return { utterance };
    const slot = this.#slots.get(voice.values);
    const vectorSlot = slot ?? this.#freeSlot();
    this.#slots.delete(voice.values);
    this.#slots.set(voice.values, vectorSlot);
    if (slot === undefined) return { utterance, vectorSlot };
    return { utterance: { ...utterance, voice: { ...voice, values: NO_VALUES } }, vectorSlot };
  }

  #freeSlot(): number {
    if (this.#slots.size < VECTORS_MAX) return this.#slots.size;
    const [oldest] = this.#slots;
    const [vector, slot] = oldest!;
    this.#slots.delete(vector);
    return slot;
  }
}

/** The worker's side. A voice that speaks again has the same array, so that engines can keep what they made of it. */
export class KeptVectors {
  readonly #vectors: Float32Array[] = [];

  /** Call it in the order of arrival. */
  unpack({ utterance, vectorSlot }: SentUtterance): Utterance {
    const { voice } = utterance;
    if (voice.kind !== 'vector' || vectorSlot === undefined) return utterance;
    if (voice.values.length > 0) this.#vectors[vectorSlot] = voice.values;
    return { ...utterance, voice: { ...voice, values: this.#vectors[vectorSlot] ?? voice.values } };
  }
}
