/** What can be bought. Speech is counted in UTF-8 bytes of text, hearing in seconds, voice design in requests. */
export const SERVICES = ['tts', 'asr', 'voice_design'] as const;
export type Service = (typeof SERVICES)[number];

/** One piece of work that was delivered, whether it cost anything or not. Holds no text. */
export interface UsageRecord {
  /** The id of its hold, or one of its own when it was free. */
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly service: Service;
  readonly model: string;
  /** Name of the voice; empty where there is none. */
  readonly voice: string;
  /** Bytes, seconds or requests that were delivered. */
  readonly units: number;
  readonly costNano: number;
  readonly atMs: number;
}

/** What usage can be summed by. */
export const USAGE_GROUPS = ['day', 'account', 'key', 'service', 'model', 'voice'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageQuery {
  /** Undefined: all accounts. */
  readonly accountId: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  readonly by: readonly UsageGroup[];
}

/** A sum over usage. Only what was grouped by is there. Days are UTC. */
export type UsageSum = Readonly<Partial<Record<UsageGroup, string>>> & {
  readonly requests: number;
  readonly units: number;
  readonly costNano: number;
};

/** What was used, by whom and when. */
export interface UsageStore {
  /** Keeps a delivery that cost nothing; those that cost something are recorded when they are settled. */
  record(usage: UsageRecord): Promise<void>;
  sum(query: UsageQuery): Promise<readonly UsageSum[]>;
}
