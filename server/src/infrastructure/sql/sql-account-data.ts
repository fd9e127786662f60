import type { AccountDataOwner } from '../../domain/accounts/administration/delete-account.ts';
import type { Database } from './database.ts';

/** Texts and jobs of accounts in the database. The cleanup of transcription jobs removes the files of deleted jobs. */
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
