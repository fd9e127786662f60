import { ApiError } from '../../../errors.ts';
import type { KeyStore, StoredAccount } from '../keys/key-store.ts';

/** The account with this id, deleted ones included. Throws `account_not_found`. */
export async function requireAccount(
  store: Pick<KeyStore, 'findAccount'>,
  id: string,
): Promise<StoredAccount> {
  const account = await store.findAccount(id);
  if (account === undefined) throw new ApiError('account_not_found', `There is no account ${id}.`);
  return account;
}
