import { requireVoice, type VoiceCatalogue } from '../catalogue/voice-catalogue.ts';
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

  /**
   * The voice of the request, or one per speaker; undefined if it has none. Recordings per speaker take precedence
   * over names, which are arbitrary then; otherwise names take precedence. Throws `voice_not_found`.
   */
  async resolve(selection: VoiceSelection): Promise<Voice | readonly Voice[] | undefined> {
    const { recordings, isPerSpeaker, named, accountId } = selection;
    if (recordings.length > 0 && (isPerSpeaker || named === undefined)) {
      const voices = await Promise.all(recordings.map((list) => this.#deps.references.find(list)));
      return isPerSpeaker ? voices : voices[0];
    }
    if (named === undefined) return undefined;
    return typeof named === 'string'
      ? this.#find(named, accountId)
      : Promise.all(named.map((name) => this.#find(name, accountId)));
  }

  async #find(name: string, accountId: string): Promise<Voice> {
    const { catalogue, library } = this.#deps;
    const voice = catalogue.resolve(name) ?? (await library.findSpeakable(name, accountId));
    return voice ?? requireVoice(catalogue, name);
  }
}
