import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ClientContext } from '../../src/cli/client-command.ts';
import { loadConfig } from '../../src/config/config.ts';

/** The compiled command. */
export const CLI = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

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

/** Runs a command in this process, with no settings but these: much sooner than a process of its own. */
export async function runHere(
  command: (args: string[], context: ClientContext) => Promise<number>,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const stdout = new PassThrough();
  const written = buffer(stdout);
  let stderr = '';
  const status = await command([...args], {
    config: loadConfig(env).config,
    env,
    stdin: Readable.from([]),
    stdout,
    stderr: { write: (text) => (stderr += text) },
    signal: new AbortController().signal,
  });
  stdout.end();
  return { status, stdout: await written, stderr };
}
