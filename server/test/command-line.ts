import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The compiled command. */
export const CLI = fileURLToPath(new URL('../src/cli/main.js', import.meta.url));

/** A port that nobody listens on, so that a server of the machine is not found. */
export const NO_LOCAL_SERVER = { PORT: '1' };

/** How a command ended, and what it wrote. */
export interface Outcome {
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Starts the command line in a process of its own, with no settings but these. */
export function startMynah(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
}

/** Runs the command line to its end. */
export async function runMynah(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input?: string,
): Promise<Outcome> {
  const child = startMynah(args, env);
  const stdout: Buffer[] = [];
  let stderr = '';
  child.stdout!.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin!.end(input);
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, stdout: Buffer.concat(stdout), stderr };
}
