import type { VoiceCatalogue } from '../catalogue/voice-catalogue.ts';
import type { Recording } from '../intake/read-recordings.ts';
import type { Voice } from '../voice.ts';
import type { ReferenceVoices } from './reference-voices.ts';
import type { VoiceLibrary } from './voice-library.ts';

/** What a request to speak says about its voices. */
export interface VoiceSelection {
  readonly accountId: string;
  /** Ids or names: one, or those of speakers 0, 1, …; undefined when none is named. */
  readonly named: string | readonly string[] | undefined;
  /** Recordings of one speaker, or of each speaker; empty when there are none. */
  readonly recordings: readonly (readonly Recording[])[];
  /** Whether the recordings came as a list for each speaker. */
  readonly isPerSpeaker: boolean;
}

/** The voices of a request, by the names that its text and plan use. */
export interface FoundVoices {
  readonly named: string | readonly string[] | undefined;
  /** Those that are in no catalogue: made by people, or found in the request's own recordings. */
  readonly own: readonly Voice[];
}

export interface VoiceFinderDeps {
  readonly catalogue: VoiceCatalogue;
  readonly library: Pick<VoiceLibrary, 'speakable'>;
  readonly references: ReferenceVoices;
}

/** Finds the voices that a request may speak with. Those of other accounts are as unknown as those that are not there. */
export class VoiceResolver {
  readonly #deps: VoiceFinderDeps;

  constructor(deps: VoiceFinderDeps) {
    this.#deps = deps;
  }

  /** Recordings for each speaker win over names, which are arbitrary then; else a name wins over recordings. */
  async find(wish: VoiceSelection): Promise<FoundVoices> {
    const { recordings, isPerSpeaker } = wish;
    if (recordings.length > 0 && (isPerSpeaker || wish.named === undefined)) {
      const own = await Promise.all(recordings.map((list) => this.#deps.references.of(list)));
      return { own, named: isPerSpeaker ? own.map(({ id }) => id) : own[0]?.id };
    }
    const names = wish.named === undefined ? [] : [wish.named].flat();
    const found = await Promise.all(names.map((name) => this.#own(name, wish.accountId)));
    // People may have spoken of a voice by a name of their own; the plan knows it by its id.
    const ids = names.map((name, index) => found[index]?.id ?? name);
    return {
      named: Array.isArray(wish.named) ? ids : ids[0],
      own: found.filter((voice) => voice !== undefined),
    };
  }

  async #own(name: string, accountId: string): Promise<Voice | undefined> {
    return this.#deps.catalogue.resolve(name) === undefined
      ? this.#deps.library.speakable(name, accountId)
      : undefined;
  }
}
