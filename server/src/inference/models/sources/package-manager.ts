import { spawn } from 'node:child_process';
import {
  createCancelledError,
  ModelStoreError,
  type ModelStoreErrorCode,
} from '../files/model-store-error.ts';

const KILL_AFTER_MS = 3_000;
/** Of each output the last part is kept. */
const OUTPUT_MAX_CHARACTERS = 1_000_000;

/** A program of the user that downloads packages. */
export interface PackageManager {
  readonly command: string;
  /** The error code and the advice if the command is not on the `PATH`. */
  readonly missingCode: ModelStoreErrorCode;
  readonly advice: string;
}

/** The end of a run. */
export interface PackageManagerResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a package manager to its end, or ends it when the signal is aborted. */
export function runPackageManager(
  { command, missingCode, advice }: PackageManager,
  args: readonly string[],
  {
    env,
    cwd,
    signal,
  }: {
    readonly env: NodeJS.ProcessEnv;
    readonly cwd?: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<PackageManagerResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: withoutSettings(env), cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout = `${stdout}${chunk}`.slice(-OUTPUT_MAX_CHARACTERS);
    });
    child.stderr.on('data', (chunk) => {
      stderr = `${stderr}${chunk}`.slice(-OUTPUT_MAX_CHARACTERS);
    });
    let killTimer: NodeJS.Timeout | undefined;
    const stop = () => {
      child.kill('SIGTERM');
      killTimer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const settle = (outcome: () => void) => {
      signal.removeEventListener('abort', stop);
      clearTimeout(killTimer);
      outcome();
    };
    child.once('error', (error: NodeJS.ErrnoException) =>
      settle(() => {
        const isMissing = error.code === 'ENOENT';
        const message = isMissing
          ? `${command} was not found on the PATH; ${advice}.`
          : `${command} could not be started (${error.message}).`;
        reject(
          new ModelStoreError(isMissing ? missingCode : 'source_unreachable', message, { cause: error }),
        );
      }),
    );
    child.once('close', (exitCode) =>
      settle(() =>
        signal.aborted ? reject(createCancelledError(command)) : resolve({ exitCode, stdout, stderr }),
      ),
    );
  });
}

/** They need many variables, such as those of a proxy, but no settings of the server, which contain secrets. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(MYNAH_|PG)/.test(name)));
}
