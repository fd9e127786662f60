import { createHash } from 'node:crypto';
import type { ReferenceRecording } from '../../engines/tts-engine.ts';
import type { Recording } from '../intake/read-recordings.ts';
import type { Voice } from '../voice.ts';
import type { ClonedVoice } from '../voice-cloner.ts';
import { voiceFromClone } from '../voice-from-clone.ts';

/** The voice cloned from recordings, with a reference recording when a zero-shot engine is installed. */
export interface ReferenceClone {
  readonly clone: ClonedVoice;
  readonly recording?: ReferenceRecording | undefined;
}

/** Voices cloned from the recordings in requests. Cached in memory by content, never stored. */
export class ReferenceVoices {
  readonly #clone: (recordings: readonly Recording[]) => Promise<ReferenceClone>;
  readonly #cacheMax: number;
  /** LRU cache; the least recently used entry comes first. */
  readonly #cache = new Map<string, Promise<Voice>>();

  constructor(options: {
    /** Must have a time limit. */
    readonly clone: (recordings: readonly Recording[]) => Promise<ReferenceClone>;
    /** Maximum number of cached voices. */
    readonly cacheMax: number;
  }) {
    this.#clone = options.clone;
    this.#cacheMax = options.cacheMax;
  }

  /** The voice of the recordings. Equal recordings are cloned once, also across clients. */
  find(recordings: readonly Recording[]): Promise<Voice> {
    const id = contentId(recordings);
    const voice = this.#cache.get(id) ?? this.#create(id, recordings);
    this.#cache.delete(id);
    this.#cache.set(id, voice);
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= this.#cacheMax) break;
      this.#cache.delete(oldest);
    }
    return voice;
  }

  /** Independent of the signal of a request, because several requests may wait for the same voice. */
  #create(id: string, recordings: readonly Recording[]): Promise<Voice> {
    const facts = { name: 'reference', title: '', description: '', tags: [], isListed: false } as const;
    const creation = this.#clone(recordings).then(({ clone, recording }) => ({
      ...voiceFromClone(clone, { ...facts, id, createdAtMs: Date.now() }),
      recording,
    }));
    // A failure reaches all waiting requests and is not cached.
    creation.catch(() => this.#cache.delete(id));
    return creation;
  }
}

/** A hash of the recordings and their order, in the format of a voice id. */
function contentId(recordings: readonly Recording[]): string {
  const hash = createHash('sha256').update('mynah:reference');
  for (const { audio } of recordings) hash.update(`:${audio.sha256}`);
  return hash.digest('hex').slice(0, 32);
}
