import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { skipWithout } from '../support/servers/missing-program.ts';

const run = promisify(execFile);

/**
 * Installs third-party clients that are too large for the lockfile or are not npm packages. They are installed when
 * a test first needs them, in the cache folder of the models. Where that fails the test is skipped, unless
 * MYNAH_TEST_CLIENTS is set, as `.ci/run` does.
 */
async function installOnce(
  t: TestContext,
  { kind, packages }: { readonly kind: string; readonly packages: readonly string[] },
  install: (folder: string) => Promise<void>,
): Promise<string | undefined> {
  const digest = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 12);
  const folder = join(homedir(), '.cache', 'mynah', 'test-clients', `${kind}-${digest}`);
  if (existsSync(folder)) return folder;
  const temporary = `${folder}.${process.pid}`;
  try {
    await mkdir(dirname(folder), { recursive: true });
    await install(temporary);
    await rename(temporary, folder);
    return folder;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    skipWithout('clients', t, `${packages.join(', ')} cannot be installed: ${String(error).slice(0, 300)}`);
    return undefined;
  }
}

/** The `node_modules` folder with npm packages; undefined when they cannot be installed. */
export async function installNpm(t: TestContext, packages: readonly string[]): Promise<string | undefined> {
  const folder = await installOnce(t, { kind: 'npm', packages }, async (temporary) => {
    await mkdir(temporary);
    await writeFile(join(temporary, 'package.json'), '{ "private": true }');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
    await run('npm', ['install', ...options, ...packages], { cwd: temporary });
  });
  return folder && join(folder, 'node_modules');
}

/** Imports an entry of npm packages; undefined when they cannot be installed. */
export async function importThirdParty<Module>(
  t: TestContext,
  entry: string,
  packages: readonly string[],
): Promise<Module | undefined> {
  const folder = await installNpm(t, packages);
  if (folder === undefined) return undefined;
  return (await import(pathToFileURL(join(folder, entry)).href)) as Module;
}

/** The path of a Python with these packages; undefined when they cannot be installed. */
export async function installPython(
  t: TestContext,
  packages: readonly string[],
): Promise<string | undefined> {
  const folder = await installOnce(t, { kind: 'python', packages }, async (temporary) => {
    await run('python3', ['-m', 'venv', '--copies', temporary]);
    await run(join(temporary, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', ...packages]);
  });
  return folder && join(folder, 'bin', 'python');
}

/**
 * The path of a Python with a library of this repository and its test tools; undefined when they cannot be installed.
 * It is installed again when a file of the library has changed; another clone with the same files uses it too.
 */
export async function installPythonLibrary(t: TestContext, library: string): Promise<string | undefined> {
  const packages = [`${basename(library)}[test]`, `sources ${await digestSources(library)}`];
  const folder = await installOnce(t, { kind: 'python-library', packages }, async (temporary) => {
    await run('python3', ['-m', 'venv', '--copies', temporary]);
    await run(join(temporary, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', `${library}[test]`]);
  });
  return folder && join(folder, 'bin', 'python');
}

/** A digest of what `pip install` packs: the project file and everything below `src`. */
async function digestSources(library: string): Promise<string> {
  const entries = await readdir(join(library, 'src'), { recursive: true, withFileTypes: true });
  const sources = entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.pyc'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const path of [join(library, 'pyproject.toml'), ...sources])
    hash.update(`${relative(library, path)}\n`).update(await readFile(path));
  return hash.digest('hex');
}
