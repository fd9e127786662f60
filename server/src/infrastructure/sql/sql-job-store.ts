import { type Selectable, sql } from 'kysely';
import type {
  ClaimedJob,
  JobLease,
  JobOutcome,
  JobStatus,
  JobStore,
  TranscriptionJob,
} from '../../domain/transcription/job-store.ts';
import type { Transcript, TranscriptSegment } from '../../domain/transcription/transcription-service.ts';
import { lockActiveAccount } from './active-account.ts';
import type { Database } from './database.ts';
import { databaseTime } from './database-clock.ts';
import { lockLease } from './lease-fence.ts';
import type { Tables } from './schema.ts';

/** Transcription jobs in the database. */
export class SqlJobStore implements JobStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async add(
    job: Pick<TranscriptionJob, 'id' | 'caller' | 'options' | 'view' | 'createdAtMs'>,
  ): Promise<void> {
    const row = {
      id: job.id,
      account_id: job.caller.accountId,
      status: 'queued',
      options: JSON.stringify(job.options),
      view: JSON.stringify({ ...job.view, caller: job.caller } satisfies StoredView),
      created_at: job.createdAtMs,
      finished_at: null,
      lease_until: 0,
      heard_ms: 0,
      fraction_ppm: 0,
      attempts: 0,
      transcript: null,
      failure: null,
    };
    await this.#db.transaction().execute(async (tx) => {
      await lockActiveAccount(tx, job.caller.accountId);
      await tx
        .insertInto('transcription_job')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    });
  }

  async find(id: string): Promise<TranscriptionJob | undefined> {
    const row = await this.#db
      .selectFrom('transcription_job')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toJob(row);
  }

  async countOpen(accountId: string): Promise<{ readonly all: number; readonly account: number }> {
    const { all, account } = await this.#db
      .selectFrom('transcription_job')
      .select([
        sql<number | string>`count(*)`.as('all'),
        sql<number | string>`count(case when account_id = ${accountId} then 1 end)`.as('account'),
      ])
      .where('status', 'in', ['queued', 'running'])
      .executeTakeFirstOrThrow();
    return { all: Number(all), account: Number(account) };
  }

  async claim(leaseMs: number): Promise<ClaimedJob | undefined> {
    const next = await this.#db
      .selectFrom('transcription_job')
      .select('id')
      .where('status', 'in', ['queued', 'running'])
      .where('lease_until', '<=', databaseTime(this.#db))
      // An account with many jobs does not delay those of others.
      .orderBy((job) =>
        job
          .selectFrom('transcription_job as other')
          .select(job.fn.countAll().as('count'))
          .whereRef('other.account_id', '=', 'transcription_job.account_id')
          .where('other.status', '=', 'running')
          .where('other.lease_until', '>', databaseTime(this.#db)),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    return next && this.claimById(next.id, leaseMs);
  }

  async claimById(id: string, leaseMs: number): Promise<ClaimedJob | undefined> {
    // Of several processes that selected the same job, one finds its lease expired.
    const row = await this.#db
      .updateTable('transcription_job')
      .set({
        status: 'running',
        lease_until: databaseTime(this.#db, leaseMs),
        attempts: sql`attempts + 1`,
        claims: sql`claims + 1`,
      })
      .where('id', '=', id)
      .where('status', 'in', ['queued', 'running'])
      .where('lease_until', '<=', databaseTime(this.#db))
      .returningAll()
      .executeTakeFirst();
    return row && { ...toJob(row), lease: { kind: 'job', id: row.id, claim: row.claims } };
  }

  async renew(
    lease: JobLease,
    { processedSeconds, fraction }: { readonly processedSeconds: number; readonly fraction: number },
    leaseMs: number,
  ): Promise<boolean> {
    const heardMs = Math.round(processedSeconds * 1000);
    const row = await this.#owned(lease)
      .set({
        heard_ms: heardMs,
        attempts: sql`case when heard_ms < ${heardMs} then 1 else attempts end`,
        fraction_ppm: Math.round(fraction * 1e6),
        lease_until: databaseTime(this.#db, leaseMs),
      })
      .executeTakeFirst();
    return row.numUpdatedRows > 0n;
  }

  async release(
    lease: JobLease,
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

  addSegment(lease: JobLease, index: number, segment: TranscriptSegment): Promise<boolean> {
    const content = JSON.stringify(segment);
    return this.#db.transaction().execute(async (tx) => {
      if (!(await lockLease(tx, lease))) return false;
      await tx
        .insertInto('transcription_segment')
        .values({ job_id: lease.id, position: index, content })
        .onConflict((conflict) => conflict.columns(['job_id', 'position']).doUpdateSet({ content }))
        .execute();
      return true;
    });
  }

  async segments(id: string, fromIndex = 0): Promise<readonly TranscriptSegment[]> {
    const rows = await this.#db
      .selectFrom('transcription_segment')
      .select('content')
      .where('job_id', '=', id)
      .where('position', '>=', fromIndex)
      .orderBy('position')
      .execute();
    return rows.map(({ content }) => parseSegment(content));
  }

  async finish(lease: JobLease, outcome: JobOutcome, nowMs: number): Promise<boolean> {
    const row = await this.#owned(lease)
      .set({
        status: outcome.status,
        finished_at: nowMs,
        ...(outcome.status === 'finished'
          ? { transcript: JSON.stringify(outcome.transcript), fraction_ppm: 1e6 }
          : { failure: JSON.stringify(outcome.failure) }),
      })
      .executeTakeFirst();
    return row.numUpdatedRows > 0n;
  }

  async transcript(id: string): Promise<Transcript | undefined> {
    const row = await this.#db
      .selectFrom('transcription_job')
      .select('transcript')
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.transcript ? (JSON.parse(row.transcript) as Transcript) : undefined;
  }

  async cancel(id: string, nowMs: number): Promise<void> {
    await this.#db
      .updateTable('transcription_job')
      .set({ status: 'cancelled', finished_at: nowMs })
      .where('id', '=', id)
      .where('status', 'in', ['queued', 'running'])
      .execute();
  }

  async removeEndedBefore(timeMs: number): Promise<readonly string[]> {
    const rows = await this.#db
      .deleteFrom('transcription_job')
      .where('finished_at', '<', timeMs)
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** An update of the job while its lease is held. */
  #owned({ id, claim }: JobLease) {
    return this.#db
      .updateTable('transcription_job')
      .where('id', '=', id)
      .where('claims', '=', claim)
      .where('status', '=', 'running');
  }
}

/** Segments stored by earlier builds name the speaker embedding `voicePrint`. */
function parseSegment(content: string): TranscriptSegment {
  const { voicePrint: speakerEmbedding, ...segment } = JSON.parse(content) as TranscriptSegment & {
    readonly voicePrint?: TranscriptSegment['speakerEmbedding'];
  };
  return speakerEmbedding === undefined ? segment : { speakerEmbedding, ...segment };
}

/** The content of the column `view`, as JSON. */
type StoredView = TranscriptionJob['view'] & Pick<TranscriptionJob, 'caller'>;

function toJob(row: Selectable<Tables['transcription_job']>): TranscriptionJob {
  const { caller, ...view } = JSON.parse(row.view) as StoredView;
  return {
    id: row.id,
    caller,
    status: row.status as JobStatus,
    options: JSON.parse(row.options) as TranscriptionJob['options'],
    view,
    createdAtMs: row.created_at,
    finishedAtMs: row.finished_at ?? undefined,
    processedSeconds: row.heard_ms / 1000,
    fraction: row.fraction_ppm / 1e6,
    attempts: row.attempts,
    failure: row.failure === null ? undefined : (JSON.parse(row.failure) as TranscriptionJob['failure']),
  };
}
