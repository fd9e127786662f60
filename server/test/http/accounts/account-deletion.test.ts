import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { Secret } from '../../../src/config/secret.ts';
import { type Database, openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { createEverything, MARKERS, MEMO, NOT_STORED } from '../../support/calls/account-contents.ts';
import { form, OTHER_RECORDING, PICTURE, RECORDING } from '../../support/calls/voice-forms.ts';
import { startTestServer } from '../../support/servers/http-server.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { until } from '../../support/servers/real-server.ts';
import { DATABASE_KINDS } from '../../support/sql/databases.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';
import { ScriptedTranscription } from '../../support/workers/scripted-transcription.ts';

/** A part of a recording that is long enough to be unique. */
const excerpt = (audio: Uint8Array) => Buffer.from(audio).subarray(20_000, 20_064);

async function filesBelow(folder: string): Promise<{ path: string; bytes: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // A file may be removed after the listing.
  const read = (path: string) => readFile(path).catch(() => Buffer.alloc(0));
  return Promise.all(paths.map(async (path) => ({ path, bytes: await read(path) })));
}

/** Every row of every table, as bytes. */
async function rowsOf(db: Database): Promise<{ table: string; bytes: Buffer }[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db);
      const values = rows.flatMap((row) => Object.values(row));
      const bytes = values.map((value) =>
        value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value)),
      );
      return { table: name, bytes: Buffer.concat(bytes) };
    }),
  );
}

for (const kind of ['SQLite', 'PostgreSQL', 'cluster']) {
  test(`${kind}: nothing of a deleted account remains, except for what the documentation names`, async (context) => {
    const database = await DATABASE_KINDS.find(({ name }) => name === kind)?.create();
    const isCluster = kind === 'cluster';
    if (database === undefined && !isCluster)
      return skipWithout('postgres', context, `${kind} is not installed.`);
    const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-deletion-'));
    const log: string[] = [];
    const starting = startTestServer({
      dataFolder,
      voices: { cloner: new RecordingCloner() },
      transcription: new ScriptedTranscription(),
      log: { write: (line) => void log.push(line) },
      ...(isCluster && { isCluster }),
      config: {
        billing: 'prepaid',
        asrJobLeaseSeconds: 1,
        ...(kind === 'PostgreSQL' && database && { databaseUrl: new Secret(database.address) }),
      },
    });
    const server = await starting.catch((error: Error) => {
      if (!isCluster || !error.message.includes('installed')) throw error;
    });
    if (server === undefined)
      return skipWithout('s3', context, 'PostgreSQL, NATS or the S3 server is not installed.');
    const db = await openDatabase(server.databaseAddress);
    try {
      const { accountId, speech, dub, book } = await createEverything(server);
      const needles = new Map<string, Buffer>([
        ...Object.entries(MARKERS).map(([name, text]) => [name, Buffer.from(text)] as const),
        ['recording', excerpt(RECORDING)],
        ['other recording', excerpt(OTHER_RECORDING)],
        ['cover', PICTURE],
        ['speech', excerpt(speech)],
        ['dub', excerpt(dub)],
        ['book', excerpt(book)],
      ]);
      const search = async () => {
        const places = [
          ...(await rowsOf(db)).map(({ table, bytes }) => ({ place: table, bytes })),
          ...[...(await filesBelow(dataFolder)), ...(await server.storedFiles.readBucket())].map(
            ({ path, bytes }) => ({ place: path, bytes }),
          ),
        ];
        const found = [...needles].flatMap(([name, needle]) =>
          places.filter(({ bytes }) => bytes.includes(needle)).map(({ place }) => `${name} in ${place}`),
        );
        return { found, places };
      };
      const before = await search();
      const missed = [...needles.keys()].filter(
        (name) => !NOT_STORED.has(name) && !before.found.some((at) => at.startsWith(`${name} in `)),
      );
      assert.deepEqual(missed, [], 'the search finds what is stored');

      const deleted = await server.call(`/v1/admin/accounts/${accountId}`, { method: 'DELETE' });
      assert.ok(deleted.ok, await deleted.clone().text());
      await until('the open job stops', async () => server.transcription.active === 0);
      await until('the open book stops', async () => server.speech.active === 0);
      if (isCluster) {
        const hasFound = async () => (await search()).found.length > 0;
        await until('the other gateway removes its copies', async () => !(await hasFound()));
      }
      const { found, places } = await search();
      assert.deepEqual(found, []);
      assert.ok(
        places.some(({ bytes }) => bytes.includes(MEMO)),
        'the reason of a transfer remains, as documented',
      );
      const text = log.join('\n');
      assert.ok(log.length > 10, 'the log has lines');
      assert.deepEqual(
        [...needles].filter(([, needle]) => text.includes(needle.toString('latin1'))).map(([name]) => name),
        [],
      );
    } finally {
      await server.close();
      await db.destroy();
      await database?.remove();
      await rm(dataFolder, { recursive: true, force: true });
    }
  });
}

test('a voice whose creation is in progress during the deletion of its account is not stored', async () => {
  const cloner = new RecordingCloner();
  const server = await startTestServer({ voices: { cloner } });
  // Another server on the database: this one does not know at once that the key is revoked.
  const other = await startTestServer({ dataFolder: server.dataFolder });
  try {
    const key = await server.createKeyFor('acc_leaving');
    cloner.onClone = async () => {
      const deleted = await other.call('/v1/admin/accounts/acc_leaving', { method: 'DELETE' });
      assert.ok(deleted.ok);
    };
    const outcome = await server
      .call('/model', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: form({ title: 'Late', voices: RECORDING }),
      })
      .then(
        (response) => response.headers.get('x-fish-error-code'),
        // The server has noticed the revocation of the key first.
        () => 'closed',
      );
    assert.ok(outcome === 'account_not_found' || outcome === 'closed', String(outcome));
    await until('the files are removed', async () => {
      return (await server.storedFiles.list()).length === 0;
    });
    const db = await openDatabase(server.databaseAddress);
    assert.deepEqual(await db.selectFrom('voice').select('id').execute(), []);
    await db.destroy();
  } finally {
    await other.close();
    await server.close();
  }
});
