import { sql } from 'kysely';
import type { Lease } from '../../domain/accounts/lease.ts';
import type { JobRelease, OpenJobs } from '../../domain/jobs/job-queue.ts';
import type { Database } from './database.ts';
import { databaseTime } from './database-clock.ts';

/** The tables of jobs that are claimed with a lease, by the kind of the lease. */
export const JOB_TABLES = { job: 'transcription_job', audiobook: 'audiobook_job' } as const;

type JobKind = keyof typeof JOB_TABLES;
type JobLease = Extract<Lease, { id: string }>;

const CLAIMABLE = ['queued', 'running'] as const;

/** Claims and leases of the jobs of one kind. */
export class SqlJobQueue {
  readonly #db: Database;
  readonly #kind: JobKind;

  constructor(db: Database, kind: JobKind) {
    this.#db = db;
    this.#kind = kind;
  }

  /** Number of jobs in these states, of all accounts and of this one. */
  async countOpen(accountId: string, statuses: readonly string[]): Promise<OpenJobs> {
    const { all, account } = await this.#db
      .selectFrom(JOB_TABLES[this.#kind])
      .select([
        sql<number | string>`count(*)`.as('all'),
        sql<number | string>`count(case when account_id = ${accountId} then 1 end)`.as('account'),
      ])
      .where('status', 'in', statuses)
      .executeTakeFirstOrThrow();
    return { all: Number(all), account: Number(account) };
  }

  /** Claims the oldest job that no process works on, of the account with the fewest running jobs. */
  async claimNext(leaseMs: number): Promise<JobLease | undefined> {
    const table = JOB_TABLES[this.#kind];
    const now = databaseTime(this.#db);
    const runningOfAccount = sql<number>`(select count(*) from ${sql.table(table)} as other
      where other.account_id = ${sql.ref(`${table}.account_id`)} and other.status = 'running' and other.lease_until > ${now})`;
    const next = await this.#db
      .selectFrom(table)
      .select('id')
      .where('status', 'in', CLAIMABLE)
      .where('lease_until', '<=', now)
      // An account with many jobs does not delay those of others.
      .orderBy(runningOfAccount)
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    return next && this.claim(next.id, leaseMs);
  }

  /** Claims this job. Undefined when it has ended or another process works on it. */
  async claim(id: string, leaseMs: number): Promise<JobLease | undefined> {
    // Of several processes that selected the same job, one finds its lease expired.
    const row = await this.#db
      .updateTable(JOB_TABLES[this.#kind])
      .set({
        status: 'running',
        failure: null,
        lease_until: databaseTime(this.#db, leaseMs),
        attempts: sql<number>`attempts + 1`,
        claims: sql<number>`claims + 1`,
      })
      .where('id', '=', id)
      .where('status', 'in', CLAIMABLE)
      .where('lease_until', '<=', databaseTime(this.#db))
      .returning('claims')
      .executeTakeFirst();
    return row && { kind: this.#kind, id, claim: Number(row.claims) };
  }

  async renew(lease: JobLease, leaseMs: number): Promise<boolean> {
    const row = await this.#held(lease)
      .set({ lease_until: databaseTime(this.#db, leaseMs) })
      .executeTakeFirst();
    return row.numUpdatedRows > 0n;
  }

  /** Returns a job to the queue. */
  async release(lease: JobLease, { delayMs, isAttempt }: JobRelease): Promise<boolean> {
    const row = await this.#held(lease)
      .set({
        status: 'queued',
        lease_until: databaseTime(this.#db, delayMs),
        attempts: sql<number>`attempts - ${isAttempt ? 0 : 1}`,
      })
      .executeTakeFirst();
    return row.numUpdatedRows > 0n;
  }

  #held(lease: JobLease) {
    return this.#db.updateTable(JOB_TABLES[this.#kind]).where(isHeld(lease));
  }
}

/** The condition of an update of a job that its lease is held. */
export function isHeld({ id, claim }: JobLease) {
  return sql<boolean>`id = ${id} and claims = ${claim} and status = 'running'`;
}
