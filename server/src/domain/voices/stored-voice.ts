import type { ClonedVoice } from './voice-cloner.ts';

/** Who may see a voice: everyone, whoever knows its id, or its owner. */
export const VISIBILITIES = ['public', 'unlist', 'private'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** `training` voices can be heard already, and come closer to the person while they are. */
export const VOICE_STATES = ['created', 'training', 'trained', 'failed'] as const;
export type VoiceState = (typeof VOICE_STATES)[number];

/** A recording that a voice was made from. */
export interface VoiceSample {
  readonly title: string;
  /** What is said in it; empty while that is not known. */
  readonly text: string;
  /** Its name in the file store. */
  readonly file: string;
}

/** What was found out about a recording. */
export interface ClipReport {
  readonly filename: string;
  readonly durationMs: number;
  /** ISO 639-1, or `unknown`. */
  readonly language: string;
  readonly measures: Readonly<Record<string, number>>;
  readonly isPassed: boolean;
  /** Codes and sentences; empty for a recording without fault. */
  readonly reason: string;
}

/** Who said that they may use this voice, and when. */
export interface Consent {
  readonly accountId: string;
  readonly keyId: string;
  readonly atMs: number;
  /** What the client wrote about it; empty when it only created the voice. */
  readonly statement: string;
}

/** A voice somebody made, as it is kept. */
export interface StoredVoice {
  /** 32 hex digits. */
  readonly id: string;
  readonly accountId: string;
  readonly authorName: string;
  /** What the owner calls it in requests, beside its id. No two voices of an account share it. */
  readonly referenceName: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly state: VoiceState;
  readonly tags: readonly string[];
  /** ISO 639-1 codes. */
  readonly languages: readonly string[];
  /** Its name in the file store. */
  readonly coverFile: string | undefined;
  readonly samples: readonly VoiceSample[];
  readonly clips: readonly ClipReport[];
  readonly clone: ClonedVoice;
  /** Name and version of the cloner that found it. */
  readonly cloner: string;
  readonly consent: Consent;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** How often it has spoken. */
  readonly taskCount: number;
}

/** The parts of a voice that can change. */
export type VoiceChanges = Partial<
  Pick<
    StoredVoice,
    | 'referenceName'
    | 'title'
    | 'description'
    | 'visibility'
    | 'state'
    | 'tags'
    | 'languages'
    | 'coverFile'
    | 'samples'
    | 'clips'
    | 'clone'
  >
>;
