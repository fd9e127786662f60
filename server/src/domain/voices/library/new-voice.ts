import { randomBytes } from 'node:crypto';
import { languagesOfClones } from '../../engines/cloning-engine.ts';
import { VOICE_DESIGN } from '../design/voice-description.ts';
import type { Recording } from '../intake/read-recordings.ts';
import type { ClipReport, RefinementState, StoredVoice, Visibility } from '../stored-voice.ts';
import type { Voice } from '../voice.ts';
import type { ClonedVoice, VoiceCloner } from '../voice-cloner.ts';
import { coverFile, sampleFile } from '../voice-files.ts';

/** The account and key that act on a voice. */
export interface VoiceOwner {
  readonly accountId: string;
  readonly keyId: string;
  /** Network address of the client. */
  readonly source: string;
}

/** The properties of a new voice. */
export interface NewVoice {
  /** Name for requests, unique within the account. */
  readonly referenceName?: string;
  readonly title: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly tags: readonly string[];
  /** Recordings to clone. Empty for a mixed voice. */
  readonly recordings: readonly Recording[];
  /** Voices to be mixed. The account must be allowed to use them. */
  readonly mix?: readonly MixedVoice[] | undefined;
  /** Designed voices, one for each recording. The recordings are then stored but not cloned. */
  readonly designed?: readonly ClonedVoice[] | undefined;
  readonly cover: Uint8Array | undefined;
  /** Whether the client asks for a refinement. Clones of some engines are refined in any case, by setting. */
  readonly isRefined: boolean;
  /** Whether a spoken introduction is stored as a sample. */
  readonly isSampled?: boolean;
  readonly consentStatement: string;
}

/** A voice of a mix. Only the ratios of the weights matter. */
export interface MixedVoice {
  readonly voice: Voice;
  readonly weight: number;
}

/** The record of a new voice, with a random id. */
export function toStoredVoice(
  owner: VoiceOwner,
  input: NewVoice,
  result: {
    readonly reports: readonly ClipReport[];
    readonly clone: ClonedVoice;
    readonly cloner: VoiceCloner;
    readonly refinement: RefinementState;
  },
): StoredVoice {
  const id = randomBytes(16).toString('hex');
  const atMs = Date.now();
  return {
    id,
    accountId: owner.accountId,
    authorName: '',
    referenceName: input.referenceName,
    title: input.title,
    description: input.description,
    visibility: input.visibility,
    // An automatic refinement does not delay clients that wait for `trained`.
    state: input.isRefined && result.refinement === 'pending' ? 'training' : 'trained',
    refinement: result.refinement,
    tags: input.tags,
    languages: languagesOfClones(result.clone.engine),
    coverFile: input.cover === undefined ? undefined : coverFile(id),
    samples: input.recordings.map(({ filename, text }, index) => ({
      title: filename,
      text: text ?? '',
      file: sampleFile(id, index),
    })),
    clips: result.reports,
    clone: result.clone,
    cloner: input.designed === undefined ? result.cloner.name : VOICE_DESIGN,
    consent: {
      accountId: owner.accountId,
      keyId: owner.keyId,
      atMs,
      statement: input.consentStatement,
    },
    createdAtMs: atMs,
    updatedAtMs: atMs,
    taskCount: 0,
  };
}
