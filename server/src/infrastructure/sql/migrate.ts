import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, Migrator } from 'kysely';
import * as accountsAndKeys from './migrations/0001-accounts-and-keys.ts';
import * as transcriptionJobs from './migrations/0002-transcription-jobs.ts';
import * as money from './migrations/0003-money.ts';
import * as pronunciationDictionaries from './migrations/0004-pronunciation-dictionaries.ts';
import * as voices from './migrations/0005-voices.ts';
import * as voiceReferenceNames from './migrations/0006-voice-reference-names.ts';
import * as secrets from './migrations/0007-secrets.ts';
import * as accountWatermarks from './migrations/0008-account-watermarks.ts';
import * as leaseTokens from './migrations/0009-lease-tokens.ts';
import * as consoleSessions from './migrations/0010-console-sessions.ts';
import * as auditWithoutNames from './migrations/0011-audit-without-names.ts';
import * as idempotencySizes from './migrations/0012-idempotency-sizes.ts';

/** All migrations. Their names are stored in every database and must not change. New ones are appended. */
const MIGRATIONS = {
  '0001-accounts-and-keys': accountsAndKeys,
  '0002-transcription-jobs': transcriptionJobs,
  '0003-money': money,
  '0004-pronunciation-dictionaries': pronunciationDictionaries,
  '0005-voices': voices,
  '0006-voice-reference-names': voiceReferenceNames,
  '0007-secrets': secrets,
  '0008-account-watermarks': accountWatermarks,
  '0009-lease-tokens': leaseTokens,
  '0010-console-sessions': consoleSessions,
  '0011-audit-without-names': auditWithoutNames,
  '0012-idempotency-sizes': idempotencySizes,
};

/** Applies pending migrations. Several processes may do so concurrently. */
export async function migrate(db: Kysely<never>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const first = await migrator.migrateToLatest();
  if (first.error === undefined) return;
  // SQLite has no lock for the migrations as a whole: of two processes one fails, and finds them applied on retry.
  await sleep(250);
  const second = await migrator.migrateToLatest();
  if (second.error !== undefined)
    throw new Error('The database cannot be upgraded.', { cause: second.error });
}
