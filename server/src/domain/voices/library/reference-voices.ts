import { createHash } from 'node:crypto';
import type { ReferenceRecording } from '../../engines/tts-engine.ts';
import type { AccountCall } from '../intake/clip-reader.ts';
import { createRecordingsTooLongError, type Recording } from '../intake/read-recordings.ts';
import { withTimeLimit } from '../time-limit.ts';
import type { Voice } from '../voice.ts';
import type { ClonedVoice } from '../voice-cloner.ts';
import { voiceFromClone } from '../voice-from-clone.ts';
import { SharedCache } from './shared-cache.ts';

/** The voice cloned from recordings, with a reference recording when a zero-shot engine is installed. */
export interface ReferenceClone {
  readonly clone: ClonedVoice;
  readonly recording?: ReferenceRecording | undefined;
  /** Duration of the recordings. */
  readonly durationSeconds: number;
}

export interface ReferenceVoicesDeps {
  readonly clone: (
    recordings: readonly Recording[],
    call: AccountCall & { readonly totalMaxSeconds: number },
  ) => Promise<ReferenceClone>;
  readonly settings: {
    /** Maximum number of cached voices. */
    readonly referenceCacheMax: number;
    /** Maximum duration of all recordings of a request. */
    readonly referencesMaxSeconds: number;
    /** Maximum time for the voices of a request. */
    readonly voiceCreationMaxSeconds: number;
  };
}

interface ReferenceVoice {
  readonly voice: Voice;
  readonly durationSeconds: number;
}

/** Voices cloned from the recordings in requests. Cached in memory by account and content, never stored. */
export class ReferenceVoices {
  readonly #deps: ReferenceVoicesDeps;
  readonly #cache: SharedCache<ReferenceVoice>;

  constructor(deps: ReferenceVoicesDeps) {
    this.#deps = deps;
    this.#cache = new SharedCache(deps.settings.referenceCacheMax);
  }

  /**
   * The voices of the speakers of a request. An account that sends equal recordings and transcripts again gets the same
   * voice. Throws `audio_too_long`, other errors of reading and cloning, or the reason of the signal.
   */
  clone(speakers: readonly (readonly Recording[])[], call: AccountCall): Promise<readonly Voice[]> {
    const { referencesMaxSeconds, voiceCreationMaxSeconds: seconds } = this.#deps.settings;
    const limit = { seconds, operation: 'The cloning of these voices', signal: call.signal };
    return withTimeLimit(limit, async (signal) => {
      const voices: Voice[] = [];
      let totalSeconds = 0;
      for (const recordings of speakers) {
        const { voice, durationSeconds } = await this.#find(recordings, { ...call, signal });
        totalSeconds += durationSeconds;
        if (totalSeconds > referencesMaxSeconds) throw createRecordingsTooLongError(referencesMaxSeconds);
        voices.push(voice);
      }
      return voices;
    });
  }

  #find(recordings: readonly Recording[], { accountId, signal }: AccountCall): Promise<ReferenceVoice> {
    const id = referenceId(accountId, recordings);
    const totalMaxSeconds = this.#deps.settings.referencesMaxSeconds;
    return this.#cache.get(id, signal, async (shared) => {
      const call = { accountId, signal: shared, totalMaxSeconds };
      const { clone, recording, durationSeconds } = await this.#deps.clone(recordings, call);
      const voice = voiceFromClone(clone, { ...UNNAMED, id, createdAtMs: Date.now() });
      return { voice: { ...voice, recording }, durationSeconds };
    });
  }
}

const UNNAMED = { name: 'reference', title: '', description: '', tags: [], isListed: false } as const;

/** A hash of the account and of the recordings and transcripts in their order, in the format of a voice id. */
function referenceId(accountId: string, recordings: readonly Recording[]): string {
  const facts = recordings.map(({ audio, text }) => [audio.sha256, text || null]);
  return createHash('sha256')
    .update('mynah:reference:')
    .update(JSON.stringify([accountId, facts]))
    .digest('hex')
    .slice(0, 32);
}
