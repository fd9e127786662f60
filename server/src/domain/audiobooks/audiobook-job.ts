import type { Caller } from '../accounts/caller.ts';
import type { Lease } from '../accounts/lease.ts';
import type { DictionaryReference } from '../dictionaries/dictionary-resolver.ts';
import type { JobFailure, JobRelease, OpenJobs } from '../jobs/job-queue.ts';

export const AUDIOBOOK_STATUSES = ['queued', 'running', 'paused', 'finished', 'failed'] as const;
export type AudiobookStatus = (typeof AUDIOBOOK_STATUSES)[number];

export const AUDIOBOOK_FORMATS = ['mp3', 'm4b'] as const;
export type AudiobookFormat = (typeof AUDIOBOOK_FORMATS)[number];

/** What may differ between chapters. */
export interface ChapterVoice {
  /** Id or name; undefined: the default voice of the server. */
  readonly voice: string | undefined;
  readonly dictionaries: readonly DictionaryReference[];
}

/** How a book is spoken. */
export interface AudiobookOptions extends ChapterVoice {
  readonly model: string;
  readonly format: AudiobookFormat;
  readonly bitrateKbps: 64 | 128 | 192;
  readonly speed: number;
  /** Undefined: the language of the voice. */
  readonly language: string | undefined;
  readonly seed: number;
  readonly title: string | undefined;
  readonly author: string | undefined;
  /** By the number of the chapter, from 1. */
  readonly chapters: Readonly<Record<number, Partial<ChapterVoice>>>;
}

/** A chapter without its text. */
export interface ChapterSummary {
  readonly title: string;
  readonly characters: number;
  readonly sections: number;
}

/** A book that is spoken in the background. */
export interface AudiobookJob {
  readonly id: string;
  /** The caller that submitted the book and is charged for it. */
  readonly caller: Caller;
  readonly status: AudiobookStatus;
  readonly options: AudiobookOptions;
  readonly chapters: readonly ChapterSummary[];
  readonly createdAtMs: number;
  readonly finishedAtMs: number | undefined;
  /** Number of sections whose audio is stored. */
  readonly sectionsSpoken: number;
  /** Number of times the job was claimed and neither completed nor released, since its last progress. */
  readonly attempts: number;
  /** Why the job failed, or was paused by the server. */
  readonly failure: JobFailure | undefined;
}

/** The lease of a process on a job. */
export type AudiobookLease = Extract<Lease, { id: string }>;

/** A job that this process may work on while it holds the lease. */
export interface ClaimedAudiobook extends AudiobookJob {
  readonly lease: AudiobookLease;
}

/** Facts of a spoken section. Its audio and its words are files. */
export interface SpokenSection {
  readonly index: number;
  readonly samples: number;
  /** Integrated loudness; undefined for silence. */
  readonly lufs: number | undefined;
}

/**
 * Persistent storage of jobs. Leases follow the clock of the database. A write with a lease that another process has
 * taken over, or whose job was paused or removed, does nothing and returns false.
 */
export interface AudiobookStore {
  /** Adds a queued job. Does nothing when the id exists. */
  add(job: Pick<AudiobookJob, 'id' | 'caller' | 'options' | 'chapters' | 'createdAtMs'>): Promise<void>;
  find(id: string): Promise<AudiobookJob | undefined>;
  /** The newest jobs of an account. */
  list(accountId: string, limit: number): AsyncIterable<AudiobookJob>;
  /** Number of jobs that have not ended, of all accounts and of this one. */
  countOpen(accountId: string): Promise<OpenJobs>;
  /** Claims the oldest job that no process works on, of the account with the fewest running jobs. */
  claim(leaseMs: number): Promise<ClaimedAudiobook | undefined>;
  renew(lease: AudiobookLease, leaseMs: number): Promise<boolean>;
  /** Returns a job to the queue. */
  release(lease: AudiobookLease, options: JobRelease): Promise<boolean>;
  /** Stores the facts of a spoken section. */
  addSection(lease: AudiobookLease, section: SpokenSection): Promise<boolean>;
  /** The spoken sections in order of their index. */
  sections(id: string): Promise<readonly SpokenSection[]>;
  /** Ends a running job, or pauses it for a reason that the client can remove. */
  end(
    lease: AudiobookLease,
    outcome:
      | { readonly status: 'finished' }
      | { readonly status: 'failed' | 'paused'; readonly failure: JobFailure },
    nowMs: number,
  ): Promise<boolean>;
  /** Pauses a queued or running job. False when it is in another state. */
  pause(id: string): Promise<boolean>;
  /** Queues a paused or failed job. False when it is in another state. */
  resume(id: string): Promise<boolean>;
  /** Deletes a job with its sections. */
  remove(id: string): Promise<void>;
  /** Ids of jobs that ended before `timeMs`. */
  endedBefore(timeMs: number): Promise<readonly string[]>;
  idsOf(accountId: string): Promise<readonly string[]>;
}
