import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../config/config.ts';
import { runKeysCommand } from './keys.ts';

async function withFolder(
  work: (run: (...args: string[]) => Promise<{ code: number; out: string; err: string }>) => Promise<void>,
) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-keys-'));
  const { config } = loadConfig({ MYNAH_DATA: dataFolder, MYNAH_LOG_LEVEL: 'silent' });
  try {
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

    assert.deepEqual(await run('revoke', prefix), { code: 0, out: `${prefix}  revoked\n`, err: '' });
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
