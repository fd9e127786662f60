import type { StoredVoice } from './stored-voice.ts';

/** Lease duration. The refinement of a server that has died starts again on another one, or on the restarted server, after this time. */
export const REFINEMENT_LEASE_MS = 60_000;

/** A voice whose refinement this server has claimed. */
export interface ClaimedRefinement {
  readonly voice: StoredVoice;
  /** Number of claims of this refinement, from 1. */
  readonly attempt: number;
}

/** Voices whose `refinement` is `pending`. Persistent, and shared by the servers of one database. */
export interface RefinementQueue {
  /**
   * Claims the oldest refinement that no server works on. Those of the account `lastAccountId` come after those of
   * others, so that an account with many voices does not delay other accounts.
   */
  claimRefinement(leaseMs: number, lastAccountId: string | undefined): Promise<ClaimedRefinement | undefined>;
  /** Extends the lease. False when the voice was deleted. */
  renewRefinement(id: string, leaseMs: number): Promise<boolean>;
  /** Ends the lease. The attempt does not count. */
  releaseRefinement(id: string): Promise<void>;
}
