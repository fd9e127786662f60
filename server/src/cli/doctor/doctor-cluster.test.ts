import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { skipWithout } from '../../../test/support/servers/missing-program.ts';
import { DATABASE_KINDS } from '../../../test/support/sql/databases.ts';
import { joinCluster } from '../../compose/cluster/cluster.ts';
import { StartupError } from '../../compose/startup-error.ts';
import { loadConfig } from '../../config/config.ts';
import { openDatabase } from '../../infrastructure/sql/database.ts';
import { createLogger } from '../../logger.ts';
import { examine } from './doctor.ts';

test('a server with other prices is refused by name, and doctor shows the servers, the difference and the bucket', async (context) => {
  const database = await DATABASE_KINDS.find(({ name }) => name === 'PostgreSQL')?.create();
  if (database === undefined) return skipWithout('postgres', context, 'PostgreSQL is not installed.');
  const folder = await mkdtemp(join(tmpdir(), 'mynah-doctor-'));
  // A port on which nothing listens.
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as { port: number };
  await new Promise((resolve) => closed.close(resolve));
  const env = {
    MYNAH_DATABASE_URL: database.address,
    MYNAH_DATA: folder,
    MYNAH_LOG_LEVEL: 'silent',
    PORT: '0',
  };
  const { config } = loadConfig(env);
  const other = loadConfig({
    ...env,
    MYNAH_PRICES: '{"tts":{"*":1}}',
    MYNAH_FILES_URL: `s3://voices?endpoint=http://127.0.0.1:${port}`,
  }).config;
  const logger = createLogger(config);
  const db = await openDatabase(database.address);
  const store = { list: async () => [], findProblems: async () => [] } as never; // No model is checked.
  const silent = { write: () => true };
  const findingsFor = async (settings: typeof config) => {
    const context = { config: settings, env, store, stdout: silent, stderr: silent };
    const found = await examine(context, undefined);
    return new Map(found.map((finding) => [finding.what, finding]));
  };
  try {
    const member = await joinCluster(db, config, logger);
    await assert.rejects(joinCluster(db, other, logger), (error: unknown) => {
      assert.ok(error instanceof StartupError);
      assert.match(error.message, /MYNAH_PRICES, MYNAH_FILES_URL\./);
      return true;
    });
    assert.equal((await findingsFor(config)).get('Servers on the database')?.state, 'ok');
    assert.equal((await findingsFor(config)).has('File storage'), false);
    const findings = await findingsFor(other);
    const servers = findings.get('Servers on the database');
    assert.equal(servers?.state, 'problem');
    assert.ok(servers?.found.includes('MYNAH_PRICES'));
    assert.equal(findings.get('File storage')?.state, 'problem');
    await member.close();
    const second = await joinCluster(db, other, logger);
    await second.close();
  } finally {
    await db.destroy();
    await database.remove();
    await rm(folder, { recursive: true });
  }
});
