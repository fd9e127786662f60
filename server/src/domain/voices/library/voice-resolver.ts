import { requireVoice, type VoiceCatalogue } from '../catalogue/voice-catalogue.ts';
import type { Recording } from '../intake/read-recordings.ts';
import type { Voice } from '../voice.ts';
import type { ReferenceVoices } from './reference-voices.ts';
import type { SpeakableVoice, VoiceLibrary } from './voice-library.ts';

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

/** The voices of a request, before their recordings are decoded. */
export interface FoundVoices {
  /** Whether voices are cloned from recordings in the request. */
  readonly hasReferences: boolean;
  /**
   * The voice of the request, or one per speaker; undefined if it has none. Decodes and clones recordings in worker
   * processes, which takes seconds: call it after admission and with the price held.
   */
  load(signal: AbortSignal): Promise<Voice | readonly Voice[] | undefined>;
}

export interface VoiceResolverDeps {
  readonly catalogue: VoiceCatalogue;
  readonly library: Pick<VoiceLibrary, 'findSpeakable'>;
  readonly references: Pick<ReferenceVoices, 'clone'>;
}

/** Resolves the voices of a request. Private voices of other accounts are treated like unknown ones. */
export class VoiceResolver {
  readonly #deps: VoiceResolverDeps;

  constructor(deps: VoiceResolverDeps) {
    this.#deps = deps;
  }

  /**
   * Finds the voices of a request. Recordings per speaker take precedence over names, which are arbitrary then;
   * otherwise names take precedence. Throws `voice_not_found`.
   */
  async resolve(selection: VoiceSelection): Promise<FoundVoices> {
    const { recordings, isPerSpeaker, named, accountId } = selection;
    if (recordings.length > 0 && (isPerSpeaker || named === undefined)) {
      return {
        hasReferences: true,
        load: async (signal) => {
          const voices = await this.#deps.references.clone(recordings, { accountId, signal });
          return isPerSpeaker ? voices : voices[0];
        },
      };
    }
    if (named === undefined) return { hasReferences: false, load: async () => undefined };
    const names = [named].flat();
    const found = await Promise.all(names.map((name) => this.#find(name, accountId)));
    return {
      hasReferences: false,
      load: async (signal) => {
        const voices = await Promise.all(found.map((voice) => voice.load({ accountId, signal })));
        return typeof named === 'string' ? voices[0] : voices;
      },
    };
  }

  async #find(name: string, accountId: string): Promise<SpeakableVoice> {
    const { catalogue, library } = this.#deps;
    const builtIn = catalogue.resolve(name);
    const stored = builtIn === undefined ? await library.findSpeakable(name, accountId) : undefined;
    if (stored !== undefined) return stored;
    const voice = builtIn ?? requireVoice(catalogue, name);
    return { voice, load: async () => voice };
  }
}
