import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { databaseTime } from '../database-clock.ts';

/** A server that uses the database. */
export interface Gateway {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  /** The settings that must agree, as JSON by name. */
  readonly settings: Readonly<Record<string, string>>;
  readonly startedAtMs: number;
}

/** Lease duration. A server that has died is forgotten after this time. */
const LEASE_MS = 30_000;
/** Serialises the registration of servers. The number is arbitrary. */
const REGISTRATION_LOCK = 7_306_951;

/** The servers that use a PostgreSQL database. */
export class SqlGateways {
  readonly #db: Database;
  /** The id of this server. */
  readonly id = randomUUID();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The running servers, oldest first. */
  list(db: Database = this.#db): Promise<readonly Gateway[]> {
    return readGateways(db);
  }

  /**
   * Registers this server, and renews its registration until `close`. Returns the names of settings that differ from
   * those of a running server; the server is not registered then.
   */
  async register(
    server: Pick<Gateway, 'host' | 'version' | 'settings'>,
  ): Promise<{ readonly differing: readonly string[]; readonly others: readonly Gateway[] }> {
    const outcome = await this.#db.transaction().execute(async (tx) => {
      // Serialises registrations: of two servers that start at the same time, the second reads the row of the first.
      await sql`select pg_advisory_xact_lock(${sql.lit(REGISTRATION_LOCK)})`.execute(tx);
      await tx.deleteFrom('gateway').where('expires_at', '<=', databaseTime(tx)).execute();
      const others = await readGateways(tx);
      const differing = findDiffering(server.settings, others);
      if (differing.length > 0) return { differing, others };
      await this.#write(tx, server);
      return { differing, others };
    });
    if (outcome.differing.length === 0) {
      const renew = () => void this.#write(this.#db, server).catch(() => {});
      this.#timer = setInterval(renew, LEASE_MS / 3).unref();
    }
    return outcome;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#db.deleteFrom('gateway').where('id', '=', this.id).execute();
  }

  /** Writes or renews the registration. After a long outage of the database another server may have removed it. */
  async #write(db: Database, server: Pick<Gateway, 'host' | 'version' | 'settings'>): Promise<void> {
    const expires_at = databaseTime(db, LEASE_MS);
    await db
      .insertInto('gateway')
      .values({
        id: this.id,
        host: server.host,
        version: server.version,
        settings: JSON.stringify(server.settings),
        started_at: databaseTime(db),
        expires_at,
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ expires_at }))
      .execute();
  }
}

/** The names of the settings whose values differ from those of a server. A setting that it does not know is not compared. */
export function findDiffering(
  settings: Readonly<Record<string, string>>,
  gateways: readonly Pick<Gateway, 'settings'>[],
): readonly string[] {
  return Object.keys(settings).filter((name) =>
    gateways.some((other) => other.settings[name] !== undefined && other.settings[name] !== settings[name]),
  );
}

async function readGateways(db: Database): Promise<readonly Gateway[]> {
  const rows = await db
    .selectFrom('gateway')
    .selectAll()
    .where('expires_at', '>', databaseTime(db))
    .orderBy('started_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    host: row.host,
    version: row.version,
    settings: JSON.parse(row.settings) as Gateway['settings'],
    startedAtMs: row.started_at,
  }));
}
