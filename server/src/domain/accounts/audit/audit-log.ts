/** What is worth remembering about who did what. */
export const AUDIT_ACTIONS = [
  'account.create',
  'account.change',
  'account.delete',
  'key.create',
  'key.change',
  'key.rotate',
  'key.revoke',
  'credit.top_up',
  'credit.adjust',
  'credit.refund',
  'voice.create',
  'voice.change',
  'voice.delete',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who does something, and from where. */
export interface Actor {
  /** The id of a key, or `cli:` and the name of a user of the machine. */
  readonly name: string;
  /** A network address, or `local`. */
  readonly source: string;
}

export interface AuditEvent {
  readonly id: string;
  readonly atMs: number;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** The account it was done to. */
  readonly accountId: string | undefined;
  /** The id of the account, key, voice or transfer. */
  readonly target: string;
  /** Never keys, texts or audio. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface AuditQuery {
  readonly accountId?: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A log that is only ever added to. */
export interface AuditLog {
  record(event: Omit<AuditEvent, 'id' | 'atMs'>): Promise<void>;
  /** All events of a time, oldest first, a page at a time. */
  read(query: AuditQuery): AsyncIterable<AuditEvent>;
}
