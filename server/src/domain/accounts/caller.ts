/** Permissions of API keys. */
export const SCOPES = [
  'tts',
  'asr',
  'voices:read',
  'voices:write',
  'wallet:read',
  'keys:write',
  'metrics',
  'admin',
] as const;
export type Scope = (typeof SCOPES)[number];

const EXPLICIT_SCOPES: readonly Scope[] = ['keys:write', 'metrics', 'admin'];

/** Scopes of a key that was created without explicit scopes: not those for operators, and not the right to make keys. */
export const DEFAULT_SCOPES = SCOPES.filter((scope) => !EXPLICIT_SCOPES.includes(scope));

/** The account and key of an authenticated request, with their limits. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  /** The meter that counts the spending of the key. A rotated key keeps the meter of its predecessor. */
  readonly meterId: string;
  /** Undefined: no cap. */
  readonly spendCapNano: number | undefined;
  /** Undefined: the default of the server. */
  readonly requestsPerMinute: number | undefined;
  /** Concurrency limit of the account; undefined: that of its tier. */
  readonly concurrencyMax: number | undefined;
  /** The session of the web console that the request was authenticated with. */
  readonly sessionId?: string;
}
