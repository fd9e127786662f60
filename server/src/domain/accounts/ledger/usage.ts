import type { Lease } from '../lease.ts';

/** Metered services. Units: `tts` UTF-8 bytes of text, `asr` seconds of audio, `voice_design` requests. */
export const SERVICES = ['tts', 'asr', 'voice_design'] as const;
export type Service = (typeof SERVICES)[number];

/** One delivered request, free or charged. Contains no text. */
export interface UsageRecord {
  /** The id of its hold, or a random id when it was free. */
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly service: Service;
  readonly model: string;
  /** Name of the voice, or empty. */
  readonly voice: string;
  /** Delivered bytes, seconds or requests. */
  readonly units: number;
  readonly costNano: number;
  readonly atMs: number;
}

/** Grouping of usage sums. */
export const USAGE_GROUPS = ['day', 'account', 'key', 'service', 'model', 'voice'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageQuery {
  /** Undefined: all accounts. */
  readonly accountId: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  readonly by: readonly UsageGroup[];
}

/** A sum of usage records. Has only the fields of the requested groups. Days are UTC. */
export type UsageSum = Readonly<Partial<Record<UsageGroup, string>>> & {
  readonly requests: number;
  readonly units: number;
  readonly costNano: number;
};

/** Persistent storage of usage records. */
export interface UsageStore {
  /**
   * Stores the record of a free request. The ledger stores those of charged requests when it settles them. With a
   * lease that is no longer held, does nothing.
   */
  record(usage: UsageRecord, lease?: Lease): Promise<void>;
  sum(query: UsageQuery): Promise<readonly UsageSum[]>;
}
