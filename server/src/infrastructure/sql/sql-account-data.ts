import type { AccountDataOwner } from '../../domain/accounts/administration/administration.ts';
import type { Database } from './database.ts';

/** What accounts have written and recorded, in the database. Files of deleted jobs are removed by whoever cleans up after jobs. */
export class SqlAccountData implements AccountDataOwner {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async deleteAccount(accountId: string): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      await tx.deleteFrom('idempotency').where('account_id', '=', accountId).execute();
      await tx.deleteFrom('transcription_job').where('account_id', '=', accountId).execute();
      await tx
        .deleteFrom('dictionary_version')
        .where('dictionary_id', 'in', (query) =>
          query.selectFrom('dictionary').select('id').where('account_id', '=', accountId),
        )
        .execute();
      await tx.deleteFrom('dictionary').where('account_id', '=', accountId).execute();
    });
  }
}
