import { PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { type Connections, translate } from '../connections.ts';
import { DatabaseAvailability } from '../database-availability.ts';
import { assertStorable } from '../database-faults.ts';
import { StatementMonitor } from '../statement-monitor.ts';
import { postgresFault } from './postgres-faults.ts';

/** PostgreSQL connections. A request uses one for a few statements only. */
const POOL_SIZE = 10;
/** Maximum wait for a connection: a new one, or one in use by another request. */
const CONNECT_TIMEOUT_MS = 10_000;
/** A lost network shows in no statement while the server is idle. */
const IDLE_PROBE_MS = 5_000;
const POSTGRES_INT8 = 20;

/** Opens a pool of connections to a PostgreSQL server. */
export function openPostgres(address: string): Connections {
  const pool = new pg.Pool({
    connectionString: address,
    max: POOL_SIZE,
    application_name: 'mynah',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === POSTGRES_INT8 ? parseSafeInteger : pg.types.getTypeParser(oid, format as 'text')) as never,
    },
  });
  const statements = new StatementMonitor('postgresql');
  const onOutage = (problem: string) => availability.reportFailure(problem);
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translate(error, postgresFault(error), onOutage);
    }
  };
  const probe = () =>
    guard(async () => {
      const { rows } = await pool.query<{ transaction_read_only: string }>('show transaction_read_only');
      if (rows[0]?.transaction_read_only !== 'off') throw new Error('the server is read-only');
    });
  const availability = new DatabaseAvailability(probe, IDLE_PROBE_MS);
  // The pool emits the error of an idle connection and replaces it.
  pool.on('error', (error) => translate(error, postgresFault(error), onOutage));
  // A connection in use emits its error too; without a listener that would end the process. Its statement rejects.
  pool.on('connect', (client) => client.on('error', () => {}));
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await guard(() => pool.connect());
    const query = (text: string, parameters: readonly unknown[]) => {
      assertStorable(parameters);
      return statements.runAsync(text, () => guard(() => client.query(text, [...parameters])));
    };
    return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release() };
  };
  const countConnections = () => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  });
  const dialect = new PostgresDialect({ pool: { connect, end: () => pool.end() } });
  return { dialect, availability, statements, countConnections };
}

/** The driver returns 64-bit integers as text. */
function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError('An integer in the database exceeds the safe integers.');
  return value;
}
