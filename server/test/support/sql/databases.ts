import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { type Database, openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { skipWithout } from '../servers/missing-program.ts';
import { startPrivatePostgres } from './private-postgres.ts';

/** A database for one test. */
export interface TestDatabase {
  readonly address: string;
  remove(): Promise<void>;
}

/** A supported database system. */
export interface DatabaseKind {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Undefined when it is not installed. */
  create(): Promise<TestDatabase | undefined>;
}

let postgres: Promise<string | undefined> | undefined;

/** `MYNAH_TEST_POSTGRES_URL`, else a private server that ends with this process. */
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
 * Runs a test on a new database of each kind. Without PostgreSQL its half is skipped with a message, unless
 * `MYNAH_TEST_POSTGRES=required`.
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
