import { type Selectable, sql } from 'kysely';
import type {
  AudiobookJob,
  AudiobookLease,
  AudiobookStatus,
  AudiobookStore,
  ClaimedAudiobook,
  SpokenSection,
} from '../../domain/audiobooks/audiobook-job.ts';
import { lockActiveAccount } from './active-account.ts';
import type { Database } from './database.ts';
import { databaseTime } from './database-clock.ts';
import { lockLease } from './lease-fence.ts';
import type { Tables } from './schema.ts';

const OPEN_STATUSES = ['queued', 'running', 'paused'] as const;
const CLAIMABLE = ['queued', 'running'] as const;

/** Audiobook jobs in the database. */
export class SqlAudiobookStore implements AudiobookStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async add(job: Parameters<AudiobookStore['add']>[0]): Promise<void> {
    const row = {
      id: job.id,
      account_id: job.caller.accountId,
      status: 'queued',
      request: JSON.stringify({ caller: job.caller, options: job.options } satisfies StoredRequest),
      chapters: JSON.stringify(job.chapters),
      created_at: job.createdAtMs,
      finished_at: null,
      lease_until: 0,
      attempts: 0,
      claims: 0,
      sections_spoken: 0,
      failure: null,
    };
    await this.#db.transaction().execute(async (tx) => {
      await lockActiveAccount(tx, job.caller.accountId);
      await tx
        .insertInto('audiobook_job')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    });
  }

  async find(id: string): Promise<AudiobookJob | undefined> {
    const row = await this.#db
      .selectFrom('audiobook_job')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toJob(row);
  }

  async list(accountId: string, limit: number): Promise<readonly AudiobookJob[]> {
    const rows = await this.#db
      .selectFrom('audiobook_job')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(toJob);
  }

  async countOpen(accountId: string): Promise<{ readonly all: number; readonly account: number }> {
    const { all, account } = await this.#db
      .selectFrom('audiobook_job')
      .select([
        sql<number | string>`count(*)`.as('all'),
        sql<number | string>`count(case when account_id = ${accountId} then 1 end)`.as('account'),
      ])
      .where('status', 'in', OPEN_STATUSES)
      .executeTakeFirstOrThrow();
    return { all: Number(all), account: Number(account) };
  }

  async claim(leaseMs: number): Promise<ClaimedAudiobook | undefined> {
    const next = await this.#db
      .selectFrom('audiobook_job')
      .select('id')
      .where('status', 'in', CLAIMABLE)
      .where('lease_until', '<=', databaseTime(this.#db))
      // An account with many jobs does not delay those of others.
      .orderBy((job) =>
        job
          .selectFrom('audiobook_job as other')
          .select(job.fn.countAll().as('count'))
          .whereRef('other.account_id', '=', 'audiobook_job.account_id')
          .where('other.status', '=', 'running')
          .where('other.lease_until', '>', databaseTime(this.#db)),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return undefined;
    // Of several processes that selected the same job, one finds its lease expired.
    const row = await this.#db
      .updateTable('audiobook_job')
      .set({
        status: 'running',
        failure: null,
        lease_until: databaseTime(this.#db, leaseMs),
        attempts: sql`attempts + 1`,
        claims: sql`claims + 1`,
      })
      .where('id', '=', next.id)
      .where('status', 'in', CLAIMABLE)
      .where('lease_until', '<=', databaseTime(this.#db))
      .returningAll()
      .executeTakeFirst();
    return row && { ...toJob(row), lease: { kind: 'audiobook', id: row.id, claim: Number(row.claims) } };
  }

  async renew(lease: AudiobookLease, leaseMs: number): Promise<boolean> {
    const row = await this.#owned(lease)
      .set({ lease_until: databaseTime(this.#db, leaseMs) })
      .executeTakeFirst();
    return row.numUpdatedRows > 0n;
  }

  async release(
    lease: AudiobookLease,
    { delayMs, isAttempt }: { readonly delayMs: number; readonly isAttempt: boolean },
  ): Promise<boolean> {
    const row = await this.#owned(lease)
      .set({
        status: 'queued',
        lease_until: databaseTime(this.#db, delayMs),
        attempts: sql`attempts - ${isAttempt ? 0 : 1}`,
      })
      .executeTakeFirst();
    return row.numUpdatedRows > 0n;
  }

  addSection(lease: AudiobookLease, section: SpokenSection): Promise<boolean> {
    const content = JSON.stringify(section);
    return this.#db.transaction().execute(async (tx) => {
      if (!(await lockLease(tx, lease))) return false;
      await tx
        .insertInto('audiobook_section')
        .values({ job_id: lease.id, position: section.index, content })
        .onConflict((conflict) => conflict.columns(['job_id', 'position']).doUpdateSet({ content }))
        .execute();
      await tx
        .updateTable('audiobook_job')
        .set((job) => ({
          attempts: 1,
          sections_spoken: job
            .selectFrom('audiobook_section')
            .select((count) => sql<number>`${count.fn.countAll()}`.as('count'))
            .where('job_id', '=', lease.id),
        }))
        .where('id', '=', lease.id)
        .execute();
      return true;
    });
  }

  async sections(id: string): Promise<readonly SpokenSection[]> {
    const rows = await this.#db
      .selectFrom('audiobook_section')
      .select('content')
      .where('job_id', '=', id)
      .orderBy('position')
      .execute();
    return rows.map(({ content }) => JSON.parse(content) as SpokenSection);
  }

  async end(
    lease: AudiobookLease,
    outcome: Parameters<AudiobookStore['end']>[1],
    nowMs: number,
  ): Promise<boolean> {
    const row = await this.#owned(lease)
      .set({
        status: outcome.status,
        finished_at: outcome.status === 'paused' ? null : nowMs,
        failure: outcome.status === 'finished' ? null : JSON.stringify(outcome.failure),
      })
      .executeTakeFirst();
    return row.numUpdatedRows > 0n;
  }

  async pause(id: string): Promise<boolean> {
    const row = await this.#db
      .updateTable('audiobook_job')
      .set({ status: 'paused' })
      .where('id', '=', id)
      .where('status', 'in', CLAIMABLE)
      .executeTakeFirst();
    return row.numUpdatedRows > 0n;
  }

  async resume(id: string): Promise<boolean> {
    const row = await this.#db
      .updateTable('audiobook_job')
      .set({ status: 'queued', finished_at: null, failure: null, attempts: 0, lease_until: 0 })
      .where('id', '=', id)
      .where('status', 'in', ['paused', 'failed'])
      .executeTakeFirst();
    return row.numUpdatedRows > 0n;
  }

  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom('audiobook_job').where('id', '=', id).execute();
  }

  async endedBefore(timeMs: number): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom('audiobook_job')
      .select('id')
      .where('finished_at', '<', timeMs)
      .execute();
    return rows.map(({ id }) => id);
  }

  async idsOf(accountId: string): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom('audiobook_job')
      .select('id')
      .where('account_id', '=', accountId)
      .execute();
    return rows.map(({ id }) => id);
  }

  /** An update of the job while its lease is held. */
  #owned({ id, claim }: AudiobookLease) {
    return this.#db
      .updateTable('audiobook_job')
      .where('id', '=', id)
      .where('claims', '=', claim)
      .where('status', '=', 'running');
  }
}

/** The content of the column `request`, as JSON. */
type StoredRequest = Pick<AudiobookJob, 'caller' | 'options'>;

function toJob(row: Selectable<Tables['audiobook_job']>): AudiobookJob {
  const { caller, options } = JSON.parse(row.request) as StoredRequest;
  return {
    id: row.id,
    caller,
    status: row.status as AudiobookStatus,
    options,
    chapters: JSON.parse(row.chapters) as AudiobookJob['chapters'],
    createdAtMs: row.created_at,
    finishedAtMs: row.finished_at ?? undefined,
    sectionsSpoken: row.sections_spoken,
    attempts: row.attempts,
    failure: row.failure === null ? undefined : (JSON.parse(row.failure) as AudiobookJob['failure']),
  };
}
