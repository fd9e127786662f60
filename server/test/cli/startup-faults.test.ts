import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApp } from '../../src/compose/app.ts';
import { StartupError } from '../../src/compose/startup-error.ts';
import { loadConfig } from '../../src/config/config.ts';
import { lockDataFolder } from '../../src/infrastructure/sql/data-folder-lock.ts';
import { createLogger } from '../../src/logger.ts';
import { MAIN } from '../support/servers/real-server.ts';
import { mountTmpfs } from '../support/servers/tmpfs.ts';

/** Starts a server process, which must print one sentence. */
function assertExitsWith(expected: RegExp, env: Record<string, string>): void {
  const { status, stderr } = spawnSync(process.execPath, [MAIN], {
    env: { ...process.env, PORT: '0', MYNAH_LOG_LEVEL: 'silent', ...env },
    encoding: 'utf8',
  });
  assert.match(stderr, expected);
  assert.equal(stderr.trim().split('\n').length, 1, stderr);
  assert.equal(status, 1);
}

/** Creates the application, which must fail with one sentence for the operator. */
async function assertFailsWith(
  expected: RegExp,
  prepare: (folder: string) => Record<string, string>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mynah-fault-'));
  try {
    const env = { ...process.env, PORT: '0', MYNAH_LOG_LEVEL: 'silent', ...prepare(folder) };
    const { config } = loadConfig(env);
    const error = await createApp(config, { logger: createLogger(config), env }).then(
      () => assert.fail('The server starts.'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof StartupError, String(error));
    assert.match(error.message, expected);
    assert.ok(!error.message.includes('\n'), error.message);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a failed start prints one sentence and exits with status 1', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mynah-fault-'));
  try {
    writeFileSync(join(folder, 'data'), '');
    assertExitsWith(/cannot be opened/, { MYNAH_DATA: join(folder, 'data') });
    assertExitsWith(/ENOTDIR/, { MYNAH_DATA: folder, MYNAH_UPLOADS: join(folder, 'data') });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a data folder that is a file ends the start with one sentence', () =>
  assertFailsWith(/cannot be opened/, (folder) => {
    writeFileSync(join(folder, 'data'), '');
    return { MYNAH_DATA: join(folder, 'data') };
  }));

test('a data folder on a file system that refuses folders ends the start with one sentence', async (context) => {
  if (!existsSync('/proc/self')) return context.skip('There is no /proc here.');
  await assertFailsWith(/\/proc\/mynah cannot be opened: .*ENOTSUP/, () => ({ MYNAH_DATA: '/proc/mynah' }));
});

test('a file that is not a SQLite database ends the start with one sentence', () =>
  assertFailsWith(/not a SQLite database/, (folder) => {
    writeFileSync(join(folder, 'mynah.db'), 'x'.repeat(8192));
    return { MYNAH_DATA: folder };
  }));

test('an unknown default voice ends the start with one sentence that names the setting', () =>
  assertFailsWith(/^MYNAH_DEFAULT_VOICE/, (folder) => ({
    MYNAH_DATA: folder,
    MYNAH_DEFAULT_VOICE: 'nobody',
  })));

test('an unreachable PostgreSQL ends the start with one sentence', () =>
  assertFailsWith(/PostgreSQL cannot be reached/, (folder) => {
    const socket = encodeURIComponent(join(folder, 'nowhere'));
    return { MYNAH_DATA: folder, MYNAH_DATABASE_URL: `postgres://mynah@localhost/mynah?host=${socket}` };
  }));

test('a second server on the folder of a SQLite database ends the start with one sentence', async () => {
  let lock: ReturnType<typeof lockDataFolder> | undefined;
  try {
    await assertFailsWith(new RegExp(`in use by another server \\(process ${process.pid}\\)`), (folder) => {
      lock = lockDataFolder(folder);
      return { MYNAH_DATA: folder };
    });
  } finally {
    lock?.release();
  }
});

test('a read-only data folder ends the start with one sentence', async (context) => {
  const disk = mountTmpfs(1024 * 1024);
  if (disk === undefined) return context.skip('A file system cannot be mounted here.');
  try {
    disk.setReadOnly();
    await assertFailsWith(/EROFS/, () => ({ MYNAH_DATA: join(disk.folder, 'data') }));
    await assertFailsWith(/EROFS/, () => ({ MYNAH_DATA: disk.folder }));
  } finally {
    disk.remove();
  }
});

test('a full disk ends the start with one sentence', async (context) => {
  const disk = mountTmpfs(64 * 1024);
  if (disk === undefined) return context.skip('A file system cannot be mounted here.');
  try {
    disk.fill();
    await assertFailsWith(/cannot be (used|opened)/, () => ({ MYNAH_DATA: disk.folder }));
  } finally {
    disk.remove();
  }
});
