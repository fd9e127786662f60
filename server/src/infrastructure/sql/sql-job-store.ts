import { type Selectable, sql } from 'kysely';
import type {
  JobOutcome,
  JobStatus,
  JobStore,
  TranscriptionJob,
} from '../../domain/transcription/job-store.ts';
import type { Transcript, TranscriptSegment } from '../../domain/transcription/transcription-service.ts';
import type { Database } from './database.ts';
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
    await this.#db
      .insertInto('transcription_job')
      .values({
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
      })
      .execute();
  }

  async find(id: string): Promise<TranscriptionJob | undefined> {
    const row = await this.#db
      .selectFrom('transcription_job')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toJob(row);
  }

  async countOpen(): Promise<number> {
    const { count } = await this.#db
      .selectFrom('transcription_job')
      .select((expression) => expression.fn.countAll<number | string>().as('count'))
      .where('status', 'in', ['queued', 'running'])
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async claim(nowMs: number, leaseUntilMs: number): Promise<TranscriptionJob | undefined> {
    const next = await this.#db
      .selectFrom('transcription_job')
      .select('id')
      .where('status', 'in', ['queued', 'running'])
      .where('lease_until', '<=', nowMs)
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return undefined;
    // Of several processes that selected the same job, one finds its lease expired.
    const row = await this.#db
      .updateTable('transcription_job')
      .set({ status: 'running', lease_until: leaseUntilMs, attempts: sql`attempts + 1` })
      .where('id', '=', next.id)
      .where('status', 'in', ['queued', 'running'])
      .where('lease_until', '<=', nowMs)
      .returningAll()
      .executeTakeFirst();
    return row && toJob(row);
  }

  async renew(
    id: string,
    {
      processedSeconds,
      fraction,
      leaseUntilMs,
    }: { readonly processedSeconds: number; readonly fraction: number; readonly leaseUntilMs: number },
  ): Promise<boolean> {
    const row = await this.#db
      .updateTable('transcription_job')
      .set({
        heard_ms: Math.round(processedSeconds * 1000),
        fraction_ppm: Math.round(fraction * 1e6),
        lease_until: leaseUntilMs,
      })
      .where('id', '=', id)
      .where('status', '=', 'running')
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  async release(
    id: string,
    { notBeforeMs, isAttempt }: { readonly notBeforeMs: number; readonly isAttempt: boolean },
  ): Promise<void> {
    await this.#db
      .updateTable('transcription_job')
      .set({ status: 'queued', lease_until: notBeforeMs, attempts: sql`attempts - ${isAttempt ? 0 : 1}` })
      .where('id', '=', id)
      .where('status', '=', 'running')
      .execute();
  }

  async addSegment(id: string, index: number, segment: TranscriptSegment): Promise<void> {
    const content = JSON.stringify(segment);
    await this.#db
      .insertInto('transcription_segment')
      .values({ job_id: id, position: index, content })
      .onConflict((conflict) => conflict.columns(['job_id', 'position']).doUpdateSet({ content }))
      .execute();
  }

  async segments(id: string): Promise<readonly TranscriptSegment[]> {
    const rows = await this.#db
      .selectFrom('transcription_segment')
      .select('content')
      .where('job_id', '=', id)
      .orderBy('position')
      .execute();
    return rows.map(({ content }) => parseSegment(content));
  }

  async finish(id: string, outcome: JobOutcome, nowMs: number): Promise<void> {
    await this.#db
      .updateTable('transcription_job')
      .set({
        status: outcome.status,
        finished_at: nowMs,
        ...(outcome.status === 'finished'
          ? { transcript: JSON.stringify(outcome.transcript), fraction_ppm: 1e6 }
          : { failure: JSON.stringify(outcome.failure) }),
      })
      .where('id', '=', id)
      .where('status', '=', 'running')
      .execute();
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
