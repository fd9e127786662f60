import type { RefinementQueue } from './refinement-queue.ts';
import type { StoredVoice, VoiceChanges } from './stored-voice.ts';

export interface VoiceFilter {
  /** Voices of this account, with any visibility. Absent: public voices. */
  readonly ownedBy?: string | undefined;
  readonly authorId?: string | undefined;
  /** Substring of the title, case-insensitive. */
  readonly title?: string | undefined;
  /** All of these, in lower case. */
  readonly tags: readonly string[];
  /** One of these, as ISO 639-1 codes. */
  readonly languages: readonly string[];
}

/** Lease duration. The training of a server that has died counts as interrupted after this time. */
export const TRAINING_LEASE_MS = 60_000;

/** Persistent storage of the voice library. */
export interface VoiceStore extends RefinementQueue {
  /** False when the account has `voicesMax` voices already, whichever server has stored them. */
  add(voice: Omit<StoredVoice, 'authorName' | 'taskCount'>, voicesMax: number): Promise<boolean>;
  find(id: string): Promise<StoredVoice | undefined>;
  /** The voice of an account with this reference name. */
  findNamed(accountId: string, referenceName: string): Promise<StoredVoice | undefined>;
  /** The reference names of an account. */
  referenceNames(accountId: string): Promise<readonly string[]>;
  /** The newest `limit` voices that match, and the number of all that match. */
  list(filter: VoiceFilter, limit: number): Promise<{ voices: readonly StoredVoice[]; total: number }>;
  /** False for an unknown id. */
  change(id: string, changes: VoiceChanges, atMs: number): Promise<boolean>;
  /** Removes the voice and its use count. False for an unknown id. */
  remove(id: string): Promise<boolean>;
  /** Adds to the use counts of stored or built-in voices. */
  addUses(counts: ReadonlyMap<string, number>): Promise<void>;
  /** Use counts by voice id, without voices that were never used. */
  uses(): Promise<ReadonlyMap<string, number>>;
  /**
   * Renews the lease of this server on the training of a voice, by the clock of the database. False when the voice was
   * deleted. A new voice has a lease of `TRAINING_LEASE_MS`.
   */
  renewTraining(id: string, leaseMs: number): Promise<boolean>;
  /**
   * Sets the state of voices of earlier versions whose training was interrupted by a stop of their server to `trained`.
   * `expired`: only those whose lease has expired, because other servers may train the rest.
   */
  settleTraining(atMs: number, which: 'all' | 'expired'): Promise<void>;
}
