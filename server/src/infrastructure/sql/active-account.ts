import { type Kysely, sql } from 'kysely';
import { ApiError } from '../../errors.ts';
import { isPostgres } from './database-clock.ts';
import type { Tables } from './schema.ts';

/**
 * Locks an account against deletion until the end of the transaction, so that the deletion finds the rows that the
 * transaction adds. `isExclusive`: other transactions that lock the account wait as well, so that its rows can be counted.
 * Throws `account_not_found` for a deleted account.
 */
export async function lockActiveAccount(
  tx: Kysely<Tables>,
  accountId: string,
  { isExclusive = false }: { readonly isExclusive?: boolean } = {},
): Promise<void> {
  const query = tx.selectFrom('account').select('deleted_at').where('id', '=', accountId);
  const row = isPostgres(tx)
    ? await (isExclusive ? query.forNoKeyUpdate() : query.forShare()).executeTakeFirst()
    : // Changes nothing; takes the write lock of SQLite before the first read.
      await tx
        .updateTable('account')
        .set({ deleted_at: sql<number>`deleted_at` })
        .where('id', '=', accountId)
        .returning('deleted_at')
        .executeTakeFirst();
  if (row?.deleted_at != null) throw new ApiError('account_not_found', `Account ${accountId} was deleted.`);
}
