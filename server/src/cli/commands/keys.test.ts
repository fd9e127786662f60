import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../config/config.ts';
import { databaseOf, openDatabase } from '../../infrastructure/sql/database.ts';
import { runKeysCommand } from './keys.ts';

async function withFolder(
  work: (run: (...args: string[]) => Promise<{ code: number; out: string; err: string }>) => Promise<void>,
) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-keys-'));
  const { config } = loadConfig({ MYNAH_DATA: dataFolder, MYNAH_LOG_LEVEL: 'silent' });
  try {
    await (await openDatabase(databaseOf(config))).destroy();
    await work(async (...args) => {
      let out = '';
      let err = '';
      const stdout = { write: (text: string) => (out += text) };
      const stderr = { write: (text: string) => (err += text) };
      return { code: await runKeysCommand(args, { config, env: {}, stdout, stderr }), out, err };
    });
  } finally {
    await rm(dataFolder, { recursive: true });
  }
}

test('a key can be created, listed and revoked, and its secret is printed only once', () =>
  withFolder(async (run) => {
    const created = await run('create', '--name', 'laptop', '--days', '30');
    assert.equal(created.code, 0);
    const key = created.out.trim();
    assert.match(key, /^mynah_/);
    const prefix = key.slice(0, key.lastIndexOf('_'));

    const listed = await run('list');
    assert.match(listed.out, new RegExp(`${prefix} +laptop +active`));
    assert.ok(!listed.out.includes(key));

    const revoked = await run('revoke', prefix);
    assert.deepEqual([revoked.code, revoked.out], [0, `${prefix}  revoked\n`]);
    const [shown] = JSON.parse((await run('list', '--json')).out);
    assert.equal(shown.state, 'revoked');
    assert.equal(shown.last_used_at, null);
  }));

const ERRORS = [
  [['mint'], 2, /There is no command “mint”/],
  [['create', '--days', 'soon'], 2, /--days takes a number/],
  [['create', '--colour', 'red'], 2, /--colour/],
  [['revoke'], 2, /needs the prefix of one key/],
  [['revoke', 'mynah_nothing'], 1, /There is no key mynah_nothing/],
  [[], 2, /Usage/],
] as const;
for (const [args, code, message] of ERRORS) {
  test(`mynah keys ${args.join(' ')} fails with a message`, () =>
    withFolder(async (run) => {
      const result = await run(...args);
      assert.equal(result.code, code);
      assert.match(result.err, message);
    }));
}

test('a command on accounts creates no database unless asked, and names the one it uses', async () => {
  const dataFolder = join(await mkdtemp(join(tmpdir(), 'mynah-keys-')), 'data');
  const { config } = loadConfig({ MYNAH_DATA: dataFolder, MYNAH_LOG_LEVEL: 'silent' });
  let err = '';
  const context = {
    config,
    env: {},
    stdout: { write: () => true },
    stderr: { write: (text: string) => (err += text) },
  };
  assert.equal(await runKeysCommand(['create'], context), 1);
  assert.ok(err.includes(dataFolder));
  assert.ok(!existsSync(dataFolder));
  err = '';
  assert.equal(await runKeysCommand(['create', '--create'], context), 0);
  assert.ok(err.includes(`Data folder: ${dataFolder}`));
  assert.equal(await runKeysCommand(['list'], context), 0);
  await rm(dirname(dataFolder), { recursive: true });
});
