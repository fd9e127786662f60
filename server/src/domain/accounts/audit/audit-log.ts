/** Recorded actions. */
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
  'session.open',
  'session.revoke',
  'model.pull',
  'model.verify',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The origin of an action. */
export interface Actor {
  /** The id of a key, or `cli:` and the login name on this machine. */
  readonly name: string;
  /** A network address, or `local`. */
  readonly source: string;
}

export interface AuditEvent {
  readonly id: string;
  readonly atMs: number;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** The account that the action affects. */
  readonly accountId: string | undefined;
  /** The id of the account, key, voice, session, transfer or model. */
  readonly target: string;
  /** Details. Never keys, texts, audio or names: they would outlive their account. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface AuditQuery {
  readonly accountId?: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

/** An append-only log. */
export interface AuditLog {
  record(event: Omit<AuditEvent, 'id' | 'atMs'>): Promise<void>;
  /** The events of a time range, oldest first, read in pages. */
  read(query: AuditQuery): AsyncIterable<AuditEvent>;
}
