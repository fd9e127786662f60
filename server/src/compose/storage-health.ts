import type { HealthReport } from '../api/schemas/server/health.ts';
import type { Config } from '../config/config.ts';
import { FolderMonitor } from '../infrastructure/files/folder-monitor.ts';
import type { DatabaseAvailability } from '../infrastructure/sql/database-availability.ts';
import type { Logger } from '../logger.ts';
import { uploadsFolderOf } from './files.ts';

/**
 * The health report with the state of the storage. Without its database the server serves no request; while its folders
 * cannot be written it serves those that store no file.
 */
export function withStorage(
  health: HealthReport,
  {
    database,
    folders,
  }: {
    readonly database: Pick<DatabaseAvailability, 'isAvailable'>;
    readonly folders?: Pick<FolderMonitor, 'isWritable'>;
  },
): HealthReport {
  if (!database.isAvailable) return { ...health, status: 'degraded', ready: false, database: 'unavailable' };
  const isDegraded = folders?.isWritable === false;
  return { ...health, ...(isDegraded && { status: 'degraded' }), database: 'ok' };
}

/** Logs each outage of the database once, and its end. */
export function logAvailability(availability: DatabaseAvailability, logger: Logger): void {
  availability.onChange((problem) => {
    if (problem === undefined) logger.warn('the database is available again');
    else logger.error({ problem }, problem);
  });
}

/** Watches the folders that the server writes, and logs when they cannot be written. */
export function watchFolders(config: Config, logger: Logger): FolderMonitor {
  const folders = new Set([config.dataFolder, uploadsFolderOf(config)]);
  const monitor = new FolderMonitor([...folders], (problem) => {
    if (problem === undefined) logger.warn('all folders can be written again');
    else logger.error({ problem }, problem);
  });
  void monitor.check();
  return monitor;
}
