import type { AccountDataOwner } from '../../domain/accounts/administration/delete-account.ts';
import type { Database } from './database.ts';

/** Texts and jobs of accounts in the database, and the recordings of the jobs. */
export class SqlAccountData implements AccountDataOwner {
  readonly #db: Database;
  readonly #discardRecording: (jobId: string) => Promise<void>;

  constructor(db: Database, discardRecording: (jobId: string) => Promise<void>) {
    this.#db = db;
    this.#discardRecording = discardRecording;
  }

  async deleteAccount(accountId: string): Promise<void> {
    const jobs = await this.#db
      .selectFrom('transcription_job')
      .select('id')
      .where('account_id', '=', accountId)
      .execute();
    // The recordings first: after an interruption, the rows name those that are left.
    for (const { id } of jobs) await this.#discardRecording(id);
    await this.#db.transaction().execute(async (tx) => {
      await tx.deleteFrom('console_session').where('account_id', '=', accountId).execute();
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
