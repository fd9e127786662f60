import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ClientContext } from '../../../src/cli/client-command.ts';
import { runCommandLine } from '../../../src/cli/main.ts';
import { loadConfig } from '../../../src/config/config.ts';

/** The compiled `mynah` command. */
export const CLI = fileURLToPath(new URL('../../../bundle/cli.js', import.meta.url));

/** A port without a server, so that the command does not find a server of this machine. */
export const NO_LOCAL_SERVER = { PORT: '1' };
/** Settings of a command that speaks without a server. Without the stock decoder it does not measure the machine first. */
export const OWN_ENGINE = { ...NO_LOCAL_SERVER, MYNAH_STOCK_DECODER_MAX_RTF: '0' };

/** The exit status and output of a command. */
export interface CommandResult {
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Starts the command in its own process, with only these settings. */
export function startMynah(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
}

/** Runs the command in its own process to its end. */
export async function runMynah(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input?: string,
): Promise<CommandResult> {
  const child = startMynah(args, env);
  const stdout: Buffer[] = [];
  let stderr = '';
  child.stdout!.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin!.end(input);
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, stdout: Buffer.concat(stdout), stderr };
}

/** Runs `mynah` in this process, with only these settings. Much faster than its own process. */
export function runMynahInProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<CommandResult> {
  return withStreams((streams) => runCommandLine(args, env, { ...streams, stdin: Readable.from([input]) }));
}

/** Like `runMynahInProcess`, for one command. */
export function runInProcess(
  command: (args: string[], context: ClientContext) => Promise<number>,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  return withStreams((streams) =>
    command([...args], {
      config: loadConfig(env).config,
      env,
      stdin: Readable.from([]),
      ...streams,
      signal: new AbortController().signal,
    }),
  );
}

async function withStreams(
  work: (streams: Pick<ClientContext, 'stdout' | 'stderr'>) => Promise<number>,
): Promise<CommandResult> {
  const stdout = new PassThrough();
  const written = buffer(stdout);
  let stderr = '';
  const status = await work({ stdout, stderr: { write: (text) => (stderr += text) } });
  stdout.end();
  return { status, stdout: await written, stderr };
}
