import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { HealthReport } from '../../src/api/schemas/server/health.ts';
import type { Environment } from '../../src/config/config.ts';
import type { Children } from './children.ts';
import { childrenOf, cpuSecondsOf } from './processes.ts';

const ENTRY = fileURLToPath(new URL('../../bundle/main.js', import.meta.url));
/** Includes the download of models on the first start. */
const READY_TIMEOUT_MS = 30 * 60_000;
const POLL_MS = 200;

/** The server in a separate process with a temporary data folder. */
export class ServerProcess {
  readonly url: string;
  readonly apiKey: string;
  readonly pid: number;
  readonly workerPids: readonly number[];
  readonly #stop: () => Promise<void>;

  private constructor(facts: { url: string; apiKey: string; pid: number; stop: () => Promise<void> }) {
    this.url = facts.url;
    this.apiKey = facts.apiKey;
    this.pid = facts.pid;
    this.workerPids = childrenOf(facts.pid);
    this.#stop = facts.stop;
  }

  /** Starts the server, or another entry module, and waits until every worker is ready. */
  static async start(env: Environment, children: Children, entry = ENTRY): Promise<ServerProcess> {
    const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-bench-'));
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const child = children.add(
      spawn(process.execPath, [...process.execArgv, entry], {
        env: {
          ...env,
          PORT: String(port),
          HOST: '127.0.0.1',
          MYNAH_DATA: dataFolder,
          MYNAH_LOG_LEVEL: 'warn',
          MYNAH_DRAIN_SECONDS: '1',
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    const stop = async () => {
      await children.stop(child);
      await rm(dataFolder, { recursive: true, force: true });
    };
    try {
      await waitUntilReady(url, child);
      const apiKey = (await readFile(join(dataFolder, 'first-key'), 'utf8')).trim();
      return new ServerProcess({ url, apiKey, pid: child.pid!, stop });
    } catch (error) {
      await stop();
      throw error;
    }
  }

  /** The server process and its current workers. */
  get pids(): readonly number[] {
    return [this.pid, ...childrenOf(this.pid)];
  }

  /** CPU time of all processes. Throws when one of them has exited. */
  cpuSeconds(): number {
    return this.pids.reduce((total, pid) => total + cpuSecondsOf(pid), 0);
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  const deadlineMs = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadlineMs) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error('The server did not start; see its output above.');
    }
    if (await isReady(url)) return;
    await sleep(POLL_MS);
  }
  throw new Error(`The server was not ready after ${READY_TIMEOUT_MS / 60_000} minutes.`);
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/health`);
    const health = (await response.json()) as HealthReport;
    return health.ready && health.workers.every((worker) => worker.state === 'ready');
  } catch {
    return false; // Not listening yet.
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free port was found.');
  return address.port;
}
