import type { HealthReport } from '../api/schemas/health.ts';
import type { DatabaseAvailability } from '../infrastructure/sql/database-availability.ts';
import type { Logger } from '../logger.ts';

/** The health report with the state of the database: without it no request can be served. */
export function withDatabase(
  health: HealthReport,
  { isAvailable }: Pick<DatabaseAvailability, 'isAvailable'>,
): HealthReport {
  return isAvailable ? health : { ...health, status: 'degraded', ready: false };
}

/** Logs each outage of the database once, and its end. */
export function logAvailability(availability: DatabaseAvailability, logger: Logger): void {
  availability.onChange((problem) => {
    if (problem === undefined) logger.warn('the database is available again');
    else logger.error({ problem }, problem);
  });
}
