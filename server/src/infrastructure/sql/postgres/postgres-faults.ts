import pg from 'pg';
import { ApiError } from '../../../errors.ts';
import type { DatabaseFault } from '../database-faults.ts';

/** SQLSTATE classes and codes that mean an outage: connection lost, shutdown, restart, read-only standby. */
const POSTGRES_OUTAGE = /^(08|57P|25006)/;
/** Insufficient resources (disk full, too many connections), system and internal errors. */
const POSTGRES_FAULT = /^(53|58|XX|55P03|40P01|40001)/;

/** Undefined when the statement itself is at fault. */
export function postgresFault(error: unknown): DatabaseFault | undefined {
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error;
    if (!POSTGRES_OUTAGE.test(code) && !POSTGRES_FAULT.test(code)) return undefined;
    return { problem: `PostgreSQL reports: ${error.message}.`, isOutage: POSTGRES_OUTAGE.test(code) };
  }
  // Values that cannot be converted. Every other error of the driver concerns the connection.
  if (error instanceof RangeError || error instanceof TypeError || error instanceof ApiError)
    return undefined;
  return { problem: `PostgreSQL cannot be reached: ${describe(error)}.`, isOutage: true };
}

/** A connection to several addresses fails with an `AggregateError` that has no message. */
function describe(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return (message || code || String(error)).replace(/\.$/, '');
}
