import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { type Database, openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { skipWithout } from '../missing-program.ts';
import { startPrivatePostgres } from './private-postgres.ts';

/** A database of its own for one test: its address, and the way to be rid of it. */
export interface TestDatabase {
  readonly address: string;
  remove(): Promise<void>;
}

/** One of the databases we run on. */
export interface DatabaseKind {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Undefined when it is not on this machine. */
  create(): Promise<TestDatabase | undefined>;
}

let postgres: Promise<string | undefined> | undefined;

/** `MYNAH_TEST_POSTGRES_URL`, else a server of our own for as long as this process lives. */
function postgresAddress(): Promise<string | undefined> {
  const given = process.env.MYNAH_TEST_POSTGRES_URL;
  postgres ??= given ? Promise.resolve(given) : startPrivatePostgres();
  return postgres;
}

export const DATABASE_KINDS: readonly DatabaseKind[] = [
  {
    name: 'SQLite',
    async create() {
      const folder = await mkdtemp(join(tmpdir(), 'mynah-sqlite-'));
      return { address: join(folder, 'mynah.db'), remove: () => rm(folder, { recursive: true }) };
    },
  },
  {
    name: 'PostgreSQL',
    async create() {
      const server = await postgresAddress();
      if (server === undefined) return undefined;
      const name = `mynah_test_${randomUUID().replaceAll('-', '')}`;
      await runOn(server, `create database ${name}`);
      const address = new URL(server);
      address.pathname = `/${name}`;
      return { address: address.href, remove: () => runOn(server, `drop database ${name} with (force)`) };
    },
  },
];

async function runOn(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * Runs a test on a new database of each kind. Where PostgreSQL is not installed its half is skipped, and says
 * so, unless `MYNAH_TEST_POSTGRES=required`.
 */
export function testOnEachDatabase(
  name: string,
  work: (db: Database, address: string, context: TestContext) => Promise<void>,
): void {
  for (const kind of DATABASE_KINDS) {
    test(`${kind.name}: ${name}`, async (context) => {
      const database = await kind.create();
      if (database === undefined) return skipWithout('postgres', context, `${kind.name} is not installed.`);
      try {
        const db = await openDatabase(database.address);
        try {
          await work(db, database.address, context);
        } finally {
          await db.destroy();
        }
      } finally {
        await database.remove();
      }
    });
  }
}
