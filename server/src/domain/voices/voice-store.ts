import type { StoredVoice, VoiceChanges } from './stored-voice.ts';

export interface VoiceFilter {
  /** Voices of this account, whoever may see them. Absent: public voices. */
  readonly ownedBy?: string | undefined;
  readonly authorId?: string | undefined;
  /** Part of the title, in any case. */
  readonly title?: string | undefined;
  /** All of these, in lower case. */
  readonly tags: readonly string[];
  /** One of these, as ISO 639-1 codes. */
  readonly languages: readonly string[];
}

/** Where voices that people made are kept. */
export interface VoiceStore {
  add(voice: Omit<StoredVoice, 'authorName' | 'taskCount'>): Promise<void>;
  find(id: string): Promise<StoredVoice | undefined>;
  /** The voice that an account calls so. */
  findNamed(accountId: string, referenceName: string): Promise<StoredVoice | undefined>;
  /** What an account calls its voices; those without such a name are left out. */
  referenceNames(accountId: string): Promise<readonly string[]>;
  /** The newest `limit` voices that match, and how many there are in all. */
  list(filter: VoiceFilter, limit: number): Promise<{ voices: readonly StoredVoice[]; total: number }>;
  /** False when there is no such voice. */
  change(id: string, changes: VoiceChanges, atMs: number): Promise<boolean>;
  /** Removes the voice and all that is known of it. False when there is no such voice. */
  remove(id: string): Promise<boolean>;
  /** Notes that a voice, kept or built in, has spoken. */
  countUse(voiceId: string): Promise<void>;
  /** How often voices have spoken; those that never did are absent. */
  uses(): Promise<ReadonlyMap<string, number>>;
  /** Voices whose training a stopped server left unfinished become `trained` as they are. */
  settleTraining(atMs: number): Promise<void>;
}
