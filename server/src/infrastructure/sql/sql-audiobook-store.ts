import { type Selectable, sql } from 'kysely';
import type {
  AudiobookJob,
  AudiobookLease,
  AudiobookStatus,
  AudiobookStore,
  ClaimedAudiobook,
  SpokenSection,
} from '../../domain/audiobooks/audiobook-job.ts';
import type { JobRelease, OpenJobs } from '../../domain/jobs/job-queue.ts';
import { lockActiveAccount } from './active-account.ts';
import type { Database } from './database.ts';
import { lockLease } from './lease-fence.ts';
import type { Tables } from './schema.ts';
import { isHeld, SqlJobQueue } from './sql-job-queue.ts';

const OPEN_STATUSES = ['queued', 'running', 'paused'] as const;

/** Audiobook jobs in the database. */
export class SqlAudiobookStore implements AudiobookStore {
  readonly #db: Database;
  readonly #queue: SqlJobQueue;

  constructor(db: Database) {
    this.#db = db;
    this.#queue = new SqlJobQueue(db, 'audiobook');
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

  /** Reads one job at a time: each may have a thousand chapters and its own dictionaries. */
  async *list(accountId: string, limit: number): AsyncGenerator<AudiobookJob> {
    const rows = await this.#db
      .selectFrom('audiobook_job')
      .select('id')
      .where('account_id', '=', accountId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(limit)
      .execute();
    for (const { id } of rows) {
      const job = await this.find(id);
      if (job !== undefined) yield job;
    }
  }

  countOpen(accountId: string): Promise<OpenJobs> {
    return this.#queue.countOpen(accountId, OPEN_STATUSES);
  }

  async claim(leaseMs: number): Promise<ClaimedAudiobook | undefined> {
    const lease = await this.#queue.claimNext(leaseMs);
    const job = lease && (await this.find(lease.id));
    return job && { ...job, lease };
  }

  renew(lease: AudiobookLease, leaseMs: number): Promise<boolean> {
    return this.#queue.renew(lease, leaseMs);
  }

  release(lease: AudiobookLease, options: JobRelease): Promise<boolean> {
    return this.#queue.release(lease, options);
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
    const row = await this.#db
      .updateTable('audiobook_job')
      .where(isHeld(lease))
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
      .where('status', 'in', ['queued', 'running'])
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
