import type { Dialect } from 'kysely';
import type { DatabaseAvailability } from './database-availability.ts';
import { createDatabaseUnavailableError, type DatabaseFault } from './database-faults.ts';
import type { StatementMonitor } from './statement-monitor.ts';

/** Connections in use and idle, and requests that wait for one. */
export interface ConnectionCounts {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/** The connections of a database, SQLite or PostgreSQL. */
export interface Connections {
  readonly dialect: Dialect;
  readonly availability: DatabaseAvailability;
  readonly statements: StatementMonitor;
  readonly countConnections: () => ConnectionCounts;
}

/** The error to throw for a failed statement. */
export function translate(
  error: unknown,
  fault: DatabaseFault | undefined,
  onOutage: (problem: string) => void,
): unknown {
  if (fault === undefined) return error;
  if (fault.isOutage) onOutage(fault.problem);
  return createDatabaseUnavailableError(error);
}
