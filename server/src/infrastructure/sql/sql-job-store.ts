import { type Selectable, sql } from 'kysely';
import type { JobRelease, OpenJobs } from '../../domain/jobs/job-queue.ts';
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
import { isHeld, SqlJobQueue } from './sql-job-queue.ts';

const OPEN_STATUSES = ['queued', 'running'] as const;

/** Transcription jobs in the database. */
export class SqlJobStore implements JobStore {
  readonly #db: Database;
  readonly #queue: SqlJobQueue;

  constructor(db: Database) {
    this.#db = db;
    this.#queue = new SqlJobQueue(db, 'job');
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

  countOpen(accountId: string): Promise<OpenJobs> {
    return this.#queue.countOpen(accountId, OPEN_STATUSES);
  }

  async claim(leaseMs: number): Promise<ClaimedJob | undefined> {
    return this.#withJob(await this.#queue.claimNext(leaseMs));
  }

  async claimById(id: string, leaseMs: number): Promise<ClaimedJob | undefined> {
    return this.#withJob(await this.#queue.claim(id, leaseMs));
  }

  async renew(
    lease: JobLease,
    { processedSeconds, fraction }: { readonly processedSeconds: number; readonly fraction: number },
    leaseMs: number,
  ): Promise<boolean> {
    const heardMs = Math.round(processedSeconds * 1000);
    const fractionPpm = Math.round(fraction * 1e6);
    // A renewal by the timer can overtake a later one: progress never goes back.
    const row = await this.#db
      .updateTable('transcription_job')
      .where(isHeld(lease))
      .set({
        heard_ms: sql`case when heard_ms < ${heardMs} then ${heardMs} else heard_ms end`,
        attempts: sql`case when heard_ms < ${heardMs} then 1 else attempts end`,
        fraction_ppm: sql`case when fraction_ppm < ${fractionPpm} then ${fractionPpm} else fraction_ppm end`,
        lease_until: databaseTime(this.#db, leaseMs),
      })
      .executeTakeFirst();
    return row.numUpdatedRows > 0n;
  }

  release(lease: JobLease, options: JobRelease): Promise<boolean> {
    return this.#queue.release(lease, options);
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
    const row = await this.#db
      .updateTable('transcription_job')
      .where(isHeld(lease))
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

  async #withJob(lease: JobLease | undefined): Promise<ClaimedJob | undefined> {
    const job = lease && (await this.find(lease.id));
    return job && { ...job, lease };
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
