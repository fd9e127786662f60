import { createHash } from 'node:crypto';
import type { ReferenceRecording } from '../../engines/tts-engine.ts';
import type { Recording } from '../intake/read-recordings.ts';
import { clonedVoice } from '../spoken-voice.ts';
import type { Voice } from '../voice.ts';
import type { ClonedVoice } from '../voice-cloner.ts';

/** What was found in recordings: the voice, and how the person sounds where an engine can speak like that. */
export interface FoundVoice {
  readonly clone: ClonedVoice;
  readonly recording?: ReferenceRecording | undefined;
}

/** Voices of recordings that come with a request. They are kept in memory by their content, and nowhere else. */
export class ReferenceVoices {
  readonly #clone: (recordings: readonly Recording[]) => Promise<FoundVoice>;
  readonly #cacheMax: number;
  /** The least recently used first. */
  readonly #known = new Map<string, Promise<Voice>>();

  constructor(options: {
    /** Takes no longer than a client would wait. */
    readonly clone: (recordings: readonly Recording[]) => Promise<FoundVoice>;
    /** So many voices are remembered. */
    readonly cacheMax: number;
  }) {
    this.#clone = options.clone;
    this.#cacheMax = options.cacheMax;
  }

  /** The voice of the recordings. The same recordings cost nothing the second time, whoever sends them. */
  of(recordings: readonly Recording[]): Promise<Voice> {
    const id = contentId(recordings);
    const known = this.#known.get(id) ?? this.#make(id, recordings);
    this.#known.delete(id);
    this.#known.set(id, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.#cacheMax) break;
      this.#known.delete(oldest);
    }
    return known;
  }

  /** Not tied to one request: others may wait for the same voice. */
  #make(id: string, recordings: readonly Recording[]): Promise<Voice> {
    const facts = { name: 'reference', title: '', description: '', tags: [], isListed: false } as const;
    const making = this.#clone(recordings).then(({ clone, recording }) => ({
      ...clonedVoice(clone, { ...facts, id, createdAtMs: Date.now() }),
      recording,
    }));
    // A failure is told to whoever waits, and tried again by the next.
    making.catch(() => this.#known.delete(id));
    return making;
  }
}

/** Equal for equal recordings in the same order; in the shape of a voice's id. */
function contentId(recordings: readonly Recording[]): string {
  const hash = createHash('sha256').update('mynah:reference');
  for (const { audio } of recordings) hash.update(`:${audio.sha256}`);
  return hash.digest('hex').slice(0, 32);
}
