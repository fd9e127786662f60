import type { TranscriptionDeps } from '../api/dependencies.ts';
import type { Config } from '../config/config.ts';
import type { Billing } from '../domain/accounts/metering/billing.ts';
import { openJobCharge } from '../domain/transcription/job-charge.ts';
import type { AsrWorkers } from '../domain/transcription/pipeline/asr-task.ts';
import { Transcriber } from '../domain/transcription/transcriber.ts';
import { TranscriptionJobs } from '../domain/transcription/transcription-jobs.ts';
import type { ServerMetrics } from '../infrastructure/metrics/server-metrics.ts';
import type { Database } from '../infrastructure/sql/database.ts';
import { SqlJobStore } from '../infrastructure/sql/sql-job-store.ts';
import type { Logger } from '../logger.ts';
import { openUploads } from './files.ts';

/** Uploads, transcription service and transcription jobs. */
export interface Transcription extends TranscriptionDeps {
  /** Number of recordings and live sessions that are being transcribed. */
  activeCount(): number;
  close(): Promise<void>;
}

/** Opens the services and resumes unfinished jobs of earlier processes. */
export async function openTranscription(
  config: Config,
  deps: {
    readonly db: Database;
    readonly workers: AsrWorkers;
    readonly billing: Pick<Billing, 'openCharge'>;
    readonly logger: Logger;
    readonly metrics?: ServerMetrics | undefined;
  },
): Promise<Transcription> {
  const { db, workers, billing, logger, metrics } = deps;
  const uploads = await openUploads(config);
  const transcription = new Transcriber({
    workers,
    settings: config,
    observer: metrics && {
      transcribed: (work) => metrics.transcribed(work),
      refused: (code) => metrics.queue('transcription').refused(code),
    },
  });
  const jobs = new TranscriptionJobs({
    store: new SqlJobStore(db),
    service: transcription,
    uploads,
    settings: {
      concurrency: config.asrJobsAtOnce,
      openMax: config.asrJobsMax,
      openPerAccountMax: config.asrJobsPerAccountMax,
      followersMax: config.asrFollowersMax,
      retentionMs: config.asrJobRetentionHours * 3_600_000,
      leaseMs: config.asrJobLeaseSeconds * 1000,
    },
    openCharge: (job) => openJobCharge(billing, job),
    onEvent: (event, facts) => logger.warn(facts, event),
  });
  jobs.start();
  return {
    transcription,
    jobs,
    uploads,
    activeCount: () => transcription.activeCount,
    async close() {
      await jobs.close();
      await uploads.close();
    },
  };
}
