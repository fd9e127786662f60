import type { VoiceCatalogue } from '../catalogue/voice-catalogue.ts';
import type { Recording } from '../intake/read-recordings.ts';
import type { Voice } from '../voice.ts';
import type { ReferenceVoices } from './reference-voices.ts';
import type { VoiceLibrary } from './voice-library.ts';

/** The voices that a speech request names. */
export interface VoiceSelection {
  readonly accountId: string;
  /** Ids or names: one, or one per speaker; undefined when the request has none. */
  readonly named: string | readonly string[] | undefined;
  /** Recordings of one speaker or of each speaker; may be empty. */
  readonly recordings: readonly (readonly Recording[])[];
  /** Whether the recordings are a list per speaker. */
  readonly isPerSpeaker: boolean;
}

/** The resolved voices of a request. */
export interface ResolvedVoices {
  readonly named: string | readonly string[] | undefined;
  /** Voices that are not in the catalogue: from the voice library, or cloned from the recordings of the request. */
  readonly own: readonly Voice[];
}

export interface VoiceResolverDeps {
  readonly catalogue: VoiceCatalogue;
  readonly library: Pick<VoiceLibrary, 'findSpeakable'>;
  readonly references: ReferenceVoices;
}

/** Resolves the voices of a request. Private voices of other accounts are treated like unknown ones. */
export class VoiceResolver {
  readonly #deps: VoiceResolverDeps;

  constructor(deps: VoiceResolverDeps) {
    this.#deps = deps;
  }

  /** Recordings per speaker take precedence over names, which are arbitrary then; otherwise names take precedence. */
  async resolve(selection: VoiceSelection): Promise<ResolvedVoices> {
    const { recordings, isPerSpeaker } = selection;
    if (recordings.length > 0 && (isPerSpeaker || selection.named === undefined)) {
      const own = await Promise.all(recordings.map((list) => this.#deps.references.find(list)));
      return { own, named: isPerSpeaker ? own.map(({ id }) => id) : own[0]?.id };
    }
    const names = selection.named === undefined ? [] : [selection.named].flat();
    const found = await Promise.all(names.map((name) => this.#findOwn(name, selection.accountId)));
    // Reference names are replaced by ids.
    const ids = names.map((name, index) => found[index]?.id ?? name);
    return {
      named: Array.isArray(selection.named) ? ids : ids[0],
      own: found.filter((voice) => voice !== undefined),
    };
  }

  async #findOwn(name: string, accountId: string): Promise<Voice | undefined> {
    return this.#deps.catalogue.resolve(name) === undefined
      ? this.#deps.library.findSpeakable(name, accountId)
      : undefined;
  }
}
