import type { Config } from '../config/config.ts';
import type { Billing } from '../domain/accounts/metering/billing.ts';
import { AudiobookFiles } from '../domain/audiobooks/audiobook-files.ts';
import { type AudiobookDeps, AudiobookJobs } from '../domain/audiobooks/audiobook-jobs.ts';
import { openSectionCharge } from '../domain/audiobooks/section-charge.ts';
import type { Database } from '../infrastructure/sql/database.ts';
import { SqlAudiobookStore } from '../infrastructure/sql/sql-audiobook-store.ts';
import type { Logger } from '../logger.ts';
import { openFileStore } from './files.ts';

/** Sections that a job speaks at the same time: one is encoded and stored while the next is synthesized. */
const SECTIONS_AT_ONCE = 2;

/** Opens the audiobook jobs. `start` resumes unfinished jobs of earlier processes. */
export function openAudiobooks(
  config: Config,
  deps: Pick<AudiobookDeps, 'speech' | 'voices' | 'dictionaries' | 'ffmpegSlots'> & {
    readonly db: Database;
    readonly billing: Pick<Billing, 'openCharge'>;
    readonly logger: Logger;
  },
): AudiobookJobs {
  const { db, billing, logger, ...parts } = deps;
  return new AudiobookJobs({
    ...parts,
    store: new SqlAudiobookStore(db),
    files: audiobookFilesOf(config),
    openCharge: (job, section) => openSectionCharge(billing, job, section),
    ffmpegPath: config.ffmpegPath,
    sectionsAtOnce: SECTIONS_AT_ONCE,
    sectionSilenceMaxSeconds: config.pieceSilenceMaxSeconds,
    settings: {
      concurrency: config.booksAtOnce,
      openMax: config.booksMax,
      openPerAccountMax: config.booksPerAccountMax,
      maxChars: config.bookMaxChars,
      retentionMs: config.bookRetentionHours * 3_600_000,
      leaseMs: config.asrJobLeaseSeconds * 1000,
    },
    onEvent: (event, facts) => logger.warn(facts, event),
  });
}

/** Deletes the audiobooks of an account without a running server. */
export async function deleteAudiobooks(config: Config, db: Database, accountId: string): Promise<void> {
  const store = new SqlAudiobookStore(db);
  const files = audiobookFilesOf(config);
  for (const id of await store.idsOf(accountId)) {
    await files.remove(id);
    await store.remove(id);
  }
}

function audiobookFilesOf(config: Config): AudiobookFiles {
  return new AudiobookFiles(openFileStore(config, 'audiobooks'));
}
