import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../../bundle/main.js', import.meta.url));
/** The first start on a machine measures it. */
const READY_TIMEOUT_MS = 600_000;

/**
 * Speech workers of a server that a test starts. One costs half the start of the two that `npm start` has on two cores;
 * without the stock decoder the first start on a machine makes no measurement.
 */
const ONE_WORKER = { MYNAH_WORKERS: '1', MYNAH_THREADS: '1', MYNAH_STOCK_DECODER_MAX_RTF: '0' };
/** Workers, threads and decoder as `npm start` selects them, by measurement. */
export const AUTOMATIC_WORKERS = { MYNAH_WORKERS: '', MYNAH_THREADS: '', MYNAH_STOCK_DECODER_MAX_RTF: '' };

/** The server in its own process with real engines, as `npm start` runs it, with one speech worker. */
export interface RealServer {
  readonly url: string;
  readonly key: string;
  readonly dataFolder: string;
  readonly process: ChildProcess;
  /** Output so far. */
  readonly output: () => string;
  readonly speak: (body: unknown, init?: RequestInit) => Promise<Response>;
  readonly health: () => Promise<Health>;
  /** Process ids of the workers. */
  readonly workerPids: () => Promise<number[]>;
  /** Stops the server with SIGINT and removes its data folder. */
  readonly close: () => Promise<void>;
}

/** The fields of the health response that tests use. */
export interface Health {
  readonly status: string;
  readonly ready: boolean;
  readonly workers: readonly { readonly state: string; readonly active: number; readonly restarts: number }[];
}

export interface RealServerOptions {
  readonly env?: Record<string, string>;
  readonly dataFolder?: string;
  /** A command that executes the server as its own process, given before the server's command line. */
  readonly wrapper?: readonly string[];
  /** Flags of Node, such as the V8 flags that the launcher of the server sets. */
  readonly nodeFlags?: readonly string[];
}

export async function startSingleServer(options: RealServerOptions = {}): Promise<RealServer> {
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'mynah-real-')));
  const [command = process.execPath, ...args] = [
    ...(options.wrapper ?? []),
    process.execPath,
    ...(options.nodeFlags ?? []),
    MAIN,
  ];
  const child = spawn(command, args, {
    env: {
      ...process.env,
      ...ONE_WORKER,
      ...{ PORT: '0', MYNAH_DATA: dataFolder, MYNAH_LOG_LEVEL: 'warn' },
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const url = await untilListening(child, () => output);
  const key = (await readFile(join(dataFolder, 'first-key'), 'utf8')).trim();
  return {
    url,
    key,
    dataFolder,
    process: child,
    output: () => output,
    speak: (body, init = {}) =>
      fetch(`${url}/v1/tts`, {
        method: 'POST',
        body: JSON.stringify(body),
        ...init,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          model: 's1',
          ...init.headers,
        },
      }),
    health: async () => (await fetch(`${url}/v1/health`)).json() as Promise<Health>,
    workerPids: () => childrenOf(child.pid!),
    close: async () => {
      await stop(child);
      if (options.dataFolder === undefined) await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

const POLL_MS_MIN = 20;
/** A poll of a server costs milliseconds of CPU time, so a long wait polls more rarely. */
const POLL_MS_MAX = 150;

/** Polls until the condition is true. Throws after the timeout; `what` names the condition in the error. */
export async function until(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  timeoutMs = 120_000,
): Promise<void> {
  const startMs = Date.now();
  while (Date.now() < startMs + timeoutMs) {
    if (await isTrue()) return;
    await delay(Math.min(POLL_MS_MAX, POLL_MS_MIN + (Date.now() - startMs) / 40));
  }
  throw new Error(`Timeout after ${timeoutMs} ms: ${what}.`);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilListening(child: ChildProcess, output: () => string): Promise<string> {
  const listening = /listens on (http:\S+?)\.\s/;
  let url: string | undefined;
  await until(
    'the server is ready',
    () => {
      if (child.exitCode !== null) throw new Error(`The server exited:\n${output()}`);
      url = listening.exec(output())?.[1];
      return url !== undefined;
    },
    READY_TIMEOUT_MS,
  );
  return url!;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await exited;
}

async function childrenOf(pid: number): Promise<number[]> {
  const children: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // The name in brackets may contain spaces; the parent's id is the second field after it.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (parent === pid) children.push(Number(name));
  }
  return children;
}
