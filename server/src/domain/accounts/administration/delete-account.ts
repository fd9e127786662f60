import type { Actor, AuditLog } from '../audit/audit-log.ts';
import type { ApiKeys } from '../keys/api-keys.ts';
import type { KeyStore, StoredAccount } from '../keys/key-store.ts';
import { requireAccount } from './require-account.ts';

/** A part of the server that stores data of accounts: voices, audio, texts. */
export interface AccountDataOwner {
  /** Deletes all data of an account. Idempotent. */
  deleteAccount(accountId: string): Promise<void>;
}

export interface DeleteAccountDeps {
  readonly store: KeyStore;
  readonly keys: Pick<ApiKeys, 'list' | 'revoke' | 'change'>;
  readonly audit: AuditLog;
  readonly dataOwners: readonly AccountDataOwner[];
}

const DELETED_NAME = 'Deleted account';

/**
 * Deletes an account: revokes its keys and deletes its names, voices, audio and texts. Transfers, usage records and
 * the audit log remain. A deletion that was interrupted can be repeated. Returns the account as it is stored then.
 *
 * The account is marked as deleted before its data is deleted: from then on the stores refuse new data, such as a voice
 * whose creation is in progress.
 */
export async function deleteAccount(
  deps: DeleteAccountDeps,
  { actor, accountId, atMs }: { readonly actor: Actor; readonly accountId: string; readonly atMs: number },
): Promise<StoredAccount> {
  const { store, keys, audit, dataOwners } = deps;
  await requireAccount(store, accountId);
  for (const key of await keys.list(accountId)) {
    await keys.revoke(key.id);
    await keys.change(key.id, { name: '' });
  }
  await store.changeAccount(accountId, { name: DELETED_NAME, members: [], deletedAtMs: atMs });
  for (const owner of dataOwners) await owner.deleteAccount(accountId);
  await audit.record({ actor, action: 'account.delete', accountId, target: accountId, facts: {} });
  return requireAccount(store, accountId);
}
