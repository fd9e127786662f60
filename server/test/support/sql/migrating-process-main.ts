import { Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import Sqlite from 'libsql';
import pg from 'pg';
import { openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { migrate } from '../../../src/infrastructure/sql/migrate.ts';

// Opens a database, as a server does: `node migrating-process-main.js ADDRESS [TEXT]`. With TEXT, kills itself after the
// first statement of the migrations that contains it.
const [address = '', killAfter] = process.argv.slice(2);
if (killAfter === undefined) await (await openDatabase(address)).destroy();
else await migrateUntil(address, killAfter);

async function migrateUntil(address: string, text: string): Promise<void> {
  const dialect = address.startsWith('postgres')
    ? new PostgresDialect({ pool: new pg.Pool({ connectionString: address, max: 1 }) })
    : new SqliteDialect({ database: new Sqlite(address) });
  await migrate(
    new Kysely<never>({
      dialect,
      log: ({ query }) => {
        if (query.sql.includes(text)) process.kill(process.pid, 'SIGKILL');
      },
    }),
  );
}
