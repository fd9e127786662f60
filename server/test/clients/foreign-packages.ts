import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { skipWithout } from '../support/missing-program.ts';

const run = promisify(execFile);

/**
 * Clients of others that are too large for the lockfile, or no npm packages at all. They are fetched when a test
 * first needs them, and kept in the cache of the models. Where they cannot be had, a test is left out; where the
 * whole of CI runs they must be there: `.ci/run` sets MYNAH_TEST_CLIENTS.
 */
async function fetched(
  t: TestContext,
  { kind, packages }: { readonly kind: string; readonly packages: readonly string[] },
  make: (folder: string) => Promise<void>,
): Promise<string | undefined> {
  const digest = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 12);
  const folder = join(homedir(), '.cache', 'mynah', 'test-clients', `${kind}-${digest}`);
  if (existsSync(folder)) return folder;
  const making = `${folder}.${process.pid}`;
  try {
    await mkdir(dirname(folder), { recursive: true });
    await make(making);
    await rename(making, folder);
    return folder;
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    skipWithout('clients', t, `${packages.join(', ')} cannot be installed: ${String(error).slice(0, 300)}`);
    return undefined;
  }
}

/** Imports the first of some npm packages; undefined when they cannot be had. */
export async function importForeign<Module>(
  t: TestContext,
  entry: string,
  packages: readonly string[],
): Promise<Module | undefined> {
  const folder = await fetched(t, { kind: 'npm', packages }, async (making) => {
    await mkdir(making);
    await writeFile(join(making, 'package.json'), '{ "private": true }');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
    await run('npm', ['install', ...options, ...packages], { cwd: making });
  });
  if (folder === undefined) return undefined;
  return (await import(pathToFileURL(join(folder, 'node_modules', entry)).href)) as Module;
}

/** A Python with some packages; undefined when they cannot be had. */
export async function pythonWith(t: TestContext, packages: readonly string[]): Promise<string | undefined> {
  const folder = await fetched(t, { kind: 'python', packages }, async (making) => {
    await run('python3', ['-m', 'venv', '--copies', making]);
    await run(join(making, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', ...packages]);
  });
  return folder && join(folder, 'bin', 'python');
}
