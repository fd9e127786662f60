import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runBackupCommand, runRestoreCommand } from '../../src/cli/commands/backup.ts';
import { runLedgerCommand } from '../../src/cli/commands/ledger.ts';
import { Secret } from '../../src/config/secret.ts';
import { FIRST_ACCOUNT_ID } from '../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../src/domain/accounts/ledger/money.ts';
import { writeArchive } from '../../src/infrastructure/backup/archive-writer.ts';
import { MANIFEST_NAME } from '../../src/infrastructure/backup/manifest.ts';
import { lockDataFolder } from '../../src/infrastructure/sql/data-folder-lock.ts';
import { openDatabase } from '../../src/infrastructure/sql/database.ts';
import { form, OTHER_RECORDING, PICTURE, RECORDING } from '../support/calls/voice-forms.ts';
import { type CommandResult, runInProcess, runMynah } from '../support/servers/command-line.ts';
import { startTestServer } from '../support/servers/http-server.ts';
import { skipWithout } from '../support/servers/missing-program.ts';
import { mountTmpfs } from '../support/servers/tmpfs.ts';
import { DATABASE_KINDS } from '../support/sql/databases.ts';
import { RecordingCloner } from '../support/workers/recording-cloner.ts';

const REQUESTS = 50;
const CLIENTS = 5;
const root = mkdtempSync(join(tmpdir(), 'mynah-backup-'));
after(() => rm(root, { recursive: true, force: true }));

const backUp = (dataFolder: string, ...args: string[]): Promise<CommandResult> =>
  runInProcess(runBackupCommand, args, { MYNAH_DATA: dataFolder });
const restore = (dataFolder: string, ...args: string[]): Promise<CommandResult> =>
  runInProcess(runRestoreCommand, args, { MYNAH_DATA: dataFolder });

/** A data folder with a database and one more file. */
async function createDataFolder(name: string): Promise<string> {
  const folder = join(root, name);
  await (await openDatabase(join(folder, 'mynah.db'))).destroy();
  await mkdir(join(folder, 'files/voice'), { recursive: true });
  await writeFile(join(folder, 'files/voice/sample-1'), name);
  return folder;
}

/** The content of all files below a folder, by name. */
async function readFiles(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      names.sort().map(async (name) => [name.slice(folder.length), await readFile(name, 'hex')] as const),
    ),
  );
}

for (const kind of DATABASE_KINDS) {
  test(`${kind.name}: a backup during ${REQUESTS} paid requests restores accounts, ledger, keys and voice files`, async (context) => {
    const databases = [await kind.create(), await kind.create()];
    const [source, target] = databases;
    if (source === undefined || target === undefined) {
      return skipWithout('postgres', context, `${kind.name} is not installed.`);
    }
    const isPostgres = kind.name === 'PostgreSQL';
    const settingsOf = (address: string) => (isPostgres ? { databaseUrl: new Secret(address) } : {});
    const envOf = (dataFolder: string, address: string): Record<string, string> => ({
      MYNAH_DATA: dataFolder,
      ...(isPostgres && { MYNAH_DATABASE_URL: address }),
    });
    const voices = { cloner: new RecordingCloner() };
    const config = { billing: 'prepaid', queueMax: 1000, concurrencyTiers: { 0: 500 } } as const;
    const server = await startTestServer({ voices, config: { ...config, ...settingsOf(source.address) } });
    try {
      await server.accounts.accounting.ledger.topUp({
        id: 'top',
        accountId: FIRST_ACCOUNT_ID,
        amountNano: 100 * NANO_PER_USD,
        memo: '',
      });
      const otherKey = await server.createKeyFor('acc_other');
      const body = form({ title: 'Ada', voices: [RECORDING, OTHER_RECORDING], cover_image: PICTURE });
      const created = await server.call('/model', { method: 'POST', body });
      assert.equal(created.status, 201);
      const { _id: voiceId } = (await created.json()) as { _id: string };

      const file = join(root, `${kind.name}.tar`);
      let finished = 0;
      let isBackedUp = false;
      const clients = Array.from({ length: CLIENTS }, async () => {
        while (finished < REQUESTS || !isBackedUp) {
          const response = await server.speak({ text: 'Hello, this is a paid request.', format: 'pcm' });
          assert.equal(response.status, 200);
          await response.arrayBuffer();
          finished++;
        }
      });
      // A process of its own, so that requests run during the copy.
      const made = await runMynah(['backup', file], envOf(server.dataFolder, source.address));
      isBackedUp = true;
      await Promise.all(clients);
      assert.equal(made.status, 0, made.stderr);
      assert.equal((await stat(file)).mode & 0o777, 0o600);

      const elsewhere = join(root, `restored-${kind.name}`, 'data');
      const env = envOf(elsewhere, target.address);
      const restored = await runInProcess(runRestoreCommand, [file, '--json'], env);
      assert.equal(restored.status, 0, restored.stderr);
      assert.equal((await stat(elsewhere)).mode & 0o077, 0);
      assert.deepEqual(
        await readFiles(join(elsewhere, 'files')),
        await readFiles(join(server.dataFolder, 'files')),
      );

      const verified = await runInProcess(runLedgerCommand, ['verify', '--json'], env);
      assert.equal(verified.status, 0, verified.stdout.toString());
      assert.equal(JSON.parse(verified.stdout.toString()).is_balanced, true);

      const second = await startTestServer({
        voices,
        dataFolder: elsewhere,
        config: { ...config, ...settingsOf(target.address) },
      });
      try {
        const spoken = await second.speak({ text: 'Hello.', reference_id: voiceId, format: 'pcm' });
        assert.equal(spoken.status, 200);
        await spoken.arrayBuffer();
        const asOther = { authorization: `Bearer ${otherKey}` };
        assert.equal((await second.call('/model', { headers: asOther })).status, 200);
      } finally {
        await second.close();
      }
    } finally {
      await server.close();
      for (const database of databases) await database?.remove();
    }
  });
}

test('a restoration replaces data only if asked, keeps the earlier data, and refuses while a server runs', async () => {
  const [from, to] = [await createDataFolder('from'), await createDataFolder('to')];
  const file = join(root, 'replace.tar');
  assert.equal((await backUp(from, file)).status, 0);
  const refused = await restore(to, file);
  assert.deepEqual([refused.status, /\(data_exists\)/.test(refused.stderr)], [1, true]);
  const lock = lockDataFolder(to);
  assert.match((await restore(to, file, '--replace')).stderr, /in use by another server/);
  lock.release();
  assert.equal(await readFile(join(to, 'files/voice/sample-1'), 'utf8'), 'to');

  const { replacedFolder } = JSON.parse((await restore(to, file, '--replace', '--json')).stdout.toString());
  assert.equal(await readFile(join(to, 'files/voice/sample-1'), 'utf8'), 'from');
  assert.equal(await readFile(join(replacedFolder, 'files/voice/sample-1'), 'utf8'), 'to');
  await (await openDatabase(join(to, 'mynah.db'))).destroy();
  await (await openDatabase(join(replacedFolder, 'mynah.db'))).destroy();
  // The next backup does not contain the earlier data.
  const again = JSON.parse((await backUp(to, join(root, 'again.tar'), '--json')).stdout.toString());
  assert.equal(again.files, 2);

  const named = join(root, 'named/data');
  assert.equal((await restore(to, file, '--data', named)).status, 0);
  assert.deepEqual((await readdir(named)).sort(), ['files', 'mynah.db']);
});

test('a backup replaces a file only if asked, and needs a database', async () => {
  const folder = await createDataFolder('once');
  const file = join(root, 'once.tar');
  assert.equal((await backUp(folder, file)).status, 0);
  const refused = await backUp(folder, file);
  assert.deepEqual([refused.status, /\(backup_exists\)/.test(refused.stderr)], [1, true]);
  assert.equal((await backUp(folder, file, '--replace')).status, 0);
  assert.equal((await backUp(join(root, 'empty'), join(root, 'empty.tar'))).status, 1);
  assert.equal((await backUp(folder)).status, 2);
  assert.deepEqual(
    (await readdir(root)).filter((name) => /partial|\.mynah-backup/.test(name)),
    [],
  );
});

test('a disk that becomes full ends a backup with one sentence and leaves nothing', async (context) => {
  const folder = await createDataFolder('large');
  await writeFile(join(folder, 'files/voice/sample-2'), Buffer.alloc(4_000_000));
  // Too small for the copy of the database, and for the archive.
  for (const bytes of [64 * 1024, 2_000_000]) {
    const disk = mountTmpfs(bytes);
    if (disk === undefined) return context.skip('A file system cannot be mounted here.');
    try {
      const { status, stderr } = await backUp(folder, join(disk.folder, 'backup.tar'));
      assert.equal(status, 1);
      assert.match(stderr, /full|ENOSPC/);
      assert.deepEqual(await readdir(disk.folder), []);
    } finally {
      disk.remove();
    }
  }
});

test('a changed, truncated or newer backup is refused and leaves nothing behind', async () => {
  const folder = await createDataFolder('sound');
  const file = join(root, 'sound.tar');
  assert.equal((await backUp(folder, file)).status, 0);
  const bytes = await readFile(file);
  const manifestAt = bytes.indexOf(MANIFEST_NAME);
  const cases: Readonly<Record<string, readonly [code: RegExp, content: Buffer]>> = {
    truncated: [/backup_broken/, bytes.subarray(0, bytes.length / 2)],
    'without a manifest': [
      /backup_broken/,
      Buffer.concat([bytes.subarray(0, manifestAt), Buffer.alloc(1024)]),
    ],
    'with a changed byte': [
      /backup_broken/,
      withChangedByte(bytes, bytes.indexOf('sound', bytes.indexOf('data/files'))),
    ],
    newer: [/backup_newer/, await archive({ migrations: ['9999-from-the-future'] })],
    'with a path out of the folder': [/backup_broken/, await archive({ name: '../outside' })],
    'with two files of one name': [
      /two entries.*backup_broken/,
      await archive({ names: ['data/file', 'data/file'] }),
    ],
    'with a file below a file': [
      /two entries.*backup_broken/,
      await archive({ names: ['data/file', 'data/file/more'] }),
    ],
    'with a file in place of a folder': [
      /two entries.*backup_broken/,
      await archive({ names: ['data/a/b', 'data/a'] }),
    ],
    'of another kind of database': [/backup_database_kind/, await archive({ kind: 'postgres' })],
    'no archive': [/backup_broken/, Buffer.from('not an archive')],
  };
  await mkdir(join(root, 'nowhere'));
  for (const [name, [code, content]] of Object.entries(cases)) {
    const broken = join(root, 'broken.tar');
    await writeFile(broken, content);
    const { status, stderr } = await restore(join(root, 'nowhere', name), broken);
    assert.equal(status, 1, name);
    assert.match(stderr, code, name);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
    assert.deepEqual(await readdir(join(root, 'nowhere')), [], name);
  }
});

/** A complete archive with these files and this manifest. */
async function archive({
  name = 'data/file',
  names = [name],
  kind = 'sqlite',
  migrations = ['0001-accounts-and-keys'],
}: {
  name?: string;
  names?: string[];
  kind?: 'sqlite' | 'postgres';
  migrations?: string[];
}): Promise<Buffer> {
  const path = join(root, 'made.tar');
  const content = join(root, 'content');
  await writeFile(content, 'content');
  const facts = { format: 1, version: '1', createdAt: '', secrets: [], database: { kind, migrations } };
  await writeArchive(
    path,
    async (writer) => {
      for (const each of names) await writer.addFile(each, content);
      return facts;
    },
    { mayReplace: true },
  );
  return readFile(path);
}

function withChangedByte(bytes: Buffer, at: number): Buffer {
  assert.ok(at > 0);
  const changed = Buffer.from(bytes);
  changed[at]! ^= 1;
  return changed;
}
