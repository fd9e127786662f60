import type { AdminKey, CreatedKey, NewKey } from 'mynah';
import { mynah } from '../lib/api.ts';

/** The keys of an account, and what the session may do with them. */
export interface KeySource {
  /** The key of the query. */
  readonly queryKey: readonly string[];
  /** The scopes that a new key may have. */
  readonly scopes: readonly string[];
  list(signal: AbortSignal): Promise<readonly AdminKey[]>;
  create(key: Omit<NewKey, 'account_id'>): Promise<CreatedKey>;
  rotate(id: string): Promise<CreatedKey>;
  revoke(id: string): Promise<AdminKey>;
}

const SCOPES = [
  'tts',
  'asr',
  'voices:read',
  'voices:write',
  'wallet:read',
  'keys:write',
  'metrics',
  'admin',
] as const;

/** The keys of any account, for an administrator. */
export function keysOfAccount(accountId: string): KeySource {
  return {
    queryKey: ['keys', accountId],
    scopes: SCOPES,
    list: (signal) => mynah.admin.listKeys({ account_id: accountId }, { signal }),
    create: (key) => mynah.admin.createKey({ ...key, account_id: accountId }),
    rotate: (id) => mynah.admin.rotateKey(id),
    revoke: (id) => mynah.admin.revokeKey(id),
  };
}

/** The keys of the own account, for a session with the scope `keys:write`. */
export function ownKeys(ownScopes: readonly string[]): KeySource {
  return {
    queryKey: ['keys', 'own'],
    scopes: SCOPES.filter((scope) => ownScopes.includes(scope)),
    list: (signal) => mynah.account.listKeys({ signal }),
    create: (key) => mynah.account.createKey(key),
    rotate: (id) => mynah.account.rotateKey(id),
    revoke: (id) => mynah.account.revokeKey(id),
  };
}
