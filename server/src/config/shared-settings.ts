import { type Config, settingEntries } from './config.ts';

/** Settings that must be equal on all servers of a database: prices, and limits that hold for all of them together. */
const SHARED_SETTINGS = [
  'billing',
  'prices',
  'holdSeconds',
  'concurrencyTiers',
  'concurrencyMax',
  'keyRequestsPerMinute',
  'socketsMax',
  'liveSocketsMax',
  'accountUploadsMax',
  'accountUploadsMaxBytes',
  'openMode',
  'idempotencyHours',
  'idempotencyAccountMaxBytes',
  'idempotencyKeysMax',
  'asrJobsMax',
  'asrJobsPerAccountMax',
  'asrJobRetentionHours',
  'asrJobLeaseSeconds',
  'booksMax',
  'booksPerAccountMax',
  'bookRetentionHours',
  'voicesMax',
] as const satisfies readonly (keyof Config)[];

/** The values of these settings as JSON, by the names of their environment variables. They contain no secret. */
export function sharedSettingsOf(config: Config): Readonly<Record<string, string>> {
  const names = new Map(settingEntries().map(([name, { env }]) => [name as string, env]));
  const entries = SHARED_SETTINGS.map((name) => [names.get(name) ?? name, JSON.stringify(config[name])]);
  // Endpoints may differ between networks; the files must be the same.
  const { filesUrl } = config;
  const files = filesUrl && { bucket: filesUrl.bucket, prefix: filesUrl.prefix };
  return Object.fromEntries([...entries, ['MYNAH_FILES_URL', JSON.stringify(files ?? null)]]);
}
