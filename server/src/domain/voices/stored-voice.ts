import type { ClonedVoice } from './voice-cloner.ts';

/** `public`: visible to everyone; `unlist`: to clients that know the id; `private`: to the owner. */
export const VISIBILITIES = ['public', 'unlist', 'private'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** A voice in state `training` is usable and is being refined. */
export const VOICE_STATES = ['created', 'training', 'trained', 'failed'] as const;
export type VoiceState = (typeof VOICE_STATES)[number];

/**
 * `pending`: the voice is usable and waits for its refinement in the background, or is being refined. `failed`: the
 * refinement failed repeatedly; the voice is usable without it.
 */
export const REFINEMENT_STATES = ['none', 'pending', 'done', 'failed'] as const;
export type RefinementState = (typeof REFINEMENT_STATES)[number];

/** A recording of a voice. */
export interface VoiceSample {
  readonly title: string;
  /** Its transcript; empty while unknown. */
  readonly text: string;
  /** Name in the file store. */
  readonly file: string;
}

/** The stored result of the intake of a recording. */
export interface ClipReport {
  readonly filename: string;
  readonly durationMs: number;
  /** ISO 639-1, or `unknown`. */
  readonly language: string;
  readonly measures: Readonly<Record<string, number>>;
  readonly isPassed: boolean;
  /** Codes and descriptions of the verdicts; empty for a recording without problems. */
  readonly reason: string;
}

/** Declaration of consent to the use of the voice. */
export interface Consent {
  readonly accountId: string;
  readonly keyId: string;
  readonly atMs: number;
  /** Statement of the client; empty when the creation itself is the declaration. */
  readonly statement: string;
}

/** A voice of the voice library. */
export interface StoredVoice {
  /** 32 hex digits. */
  readonly id: string;
  readonly accountId: string;
  readonly authorName: string;
  /** Name for requests of the owner, unique within the account. */
  readonly referenceName: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly state: VoiceState;
  readonly refinement: RefinementState;
  readonly tags: readonly string[];
  /** ISO 639-1 codes. */
  readonly languages: readonly string[];
  /** Name in the file store. */
  readonly coverFile: string | undefined;
  readonly samples: readonly VoiceSample[];
  readonly clips: readonly ClipReport[];
  readonly clone: ClonedVoice;
  /** Name and version of the cloner. */
  readonly cloner: string;
  readonly consent: Consent;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** Use count. */
  readonly taskCount: number;
}

/** The mutable fields of a voice. */
export type VoiceChanges = Partial<
  Pick<
    StoredVoice,
    | 'referenceName'
    | 'title'
    | 'description'
    | 'visibility'
    | 'state'
    | 'refinement'
    | 'tags'
    | 'languages'
    | 'coverFile'
    | 'samples'
    | 'clips'
    | 'clone'
  >
>;
