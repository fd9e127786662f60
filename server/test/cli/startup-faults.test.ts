import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

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

test('an unreachable PostgreSQL ends the start with one sentence', () =>
  assertFailsWith(/PostgreSQL cannot be reached/, (folder) => {
    const socket = encodeURIComponent(join(folder, 'nowhere'));
    return { MYNAH_DATA: folder, MYNAH_DATABASE_URL: `postgres://mynah@localhost/mynah?host=${socket}` };
  }));
