import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lockDataFolder } from '../../src/infrastructure/sql/data-folder-lock.ts';
import { mountTmpfs } from '../support/tmpfs.ts';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** Starts the server, which must exit with status 1 after one line on stderr. */
function assertFailsWith(expected: RegExp, prepare: (folder: string) => Record<string, string>): void {
  const folder = mkdtempSync(join(tmpdir(), 'mynah-fault-'));
  try {
    const { status, stderr } = spawnSync(process.execPath, [MAIN], {
      env: { ...process.env, PORT: '0', MYNAH_LOG_LEVEL: 'silent', ...prepare(folder) },
      encoding: 'utf8',
    });
    assert.match(stderr, expected);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
    assert.equal(status, 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a data folder that is a file ends the start with one sentence', () =>
  assertFailsWith(/cannot be opened/, (folder) => {
    writeFileSync(join(folder, 'data'), '');
    return { MYNAH_DATA: join(folder, 'data') };
  }));

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

test('a second server on the folder of a SQLite database ends the start with one sentence', () => {
  let lock: ReturnType<typeof lockDataFolder> | undefined;
  try {
    assertFailsWith(new RegExp(`in use by another server \\(process ${process.pid}\\)`), (folder) => {
      lock = lockDataFolder(folder);
      return { MYNAH_DATA: folder };
    });
  } finally {
    lock?.release();
  }
});

test('a read-only data folder ends the start with one sentence', (context) => {
  const disk = mountTmpfs(1024 * 1024);
  if (disk === undefined) return context.skip('A file system cannot be mounted here.');
  try {
    disk.setReadOnly();
    assertFailsWith(/cannot be (used|opened)/, () => ({ MYNAH_DATA: join(disk.folder, 'data') }));
    assertFailsWith(/cannot be (used|opened)/, () => ({ MYNAH_DATA: disk.folder }));
  } finally {
    disk.remove();
  }
});

test('a full disk ends the start with one sentence', (context) => {
  const disk = mountTmpfs(64 * 1024);
  if (disk === undefined) return context.skip('A file system cannot be mounted here.');
  try {
    disk.fill();
    assertFailsWith(/cannot be (used|opened)/, () => ({ MYNAH_DATA: disk.folder }));
  } finally {
    disk.remove();
  }
});
