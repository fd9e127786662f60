/** What a key may do. */
export const SCOPES = ['tts', 'asr', 'voices:read', 'voices:write', 'wallet:read', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a key may do unless it was made otherwise: everything but running the server. */
export const USUAL_SCOPES = SCOPES.filter((scope) => scope !== 'admin');

/** Who a request acts for, and within which limits. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  /** What the spending of the key is counted under; a rotated key keeps the meter of the one before. */
  readonly meterId: string;
  /** Undefined: as much as the account has. */
  readonly spendCapNano: number | undefined;
  /** Undefined: what the server allows every key. */
  readonly requestsPerMinute: number | undefined;
  /** Requests of the account at once; undefined: what its tier allows. */
  readonly concurrencyMax: number | undefined;
}
