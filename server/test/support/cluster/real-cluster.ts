import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPrivateNats } from '../servers/nats-server.ts';
import { privateS3 } from '../servers/s3-server.ts';
import { type Health, type RealServer, startSingleServer, until } from '../servers/single-server.ts';
import { startRestartablePostgres } from '../sql/private-postgres.ts';
import { startBalancer } from './balancer.ts';

const CLI = fileURLToPath(new URL('../../../bundle/cli.js', import.meta.url));
const READY_TIMEOUT_MS = 180_000;
const HEARTBEATS_MS = 1000;
const LOOK_EVERY_MS = 250;

/** A gateway and workers with real engines, each in its own process, with NATS, PostgreSQL and S3. */
export interface RealCluster {
  /** The first of the gateways. */
  readonly gateway: RealServer;
  readonly gateways: readonly RealServer[];
  readonly workers: readonly ChildProcess[];
  readonly natsPid: number;
  readonly postgresPid: number;
  /** Starts one more worker. */
  startWorker(id: string): Promise<ChildProcess>;
  close(): Promise<void>;
}

/** Undefined when one of the servers cannot be installed. */
export async function startRealCluster(options: {
  readonly workers: number;
  /** Default: 1. */
  readonly gateways?: number;
  readonly env?: Record<string, string>;
  /** Flags of Node for gateways and workers, such as the V8 flags that the launcher of the server sets. */
  readonly nodeFlags?: readonly string[];
}): Promise<RealCluster | undefined> {
  const { nodeFlags = [] } = options;
  const [nats, postgres, s3] = await Promise.all([
    startPrivateNats(),
    startRestartablePostgres(),
    privateS3(),
  ]);
  if (nats === undefined || postgres === undefined || s3 === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'mynah-cluster-'));
  const common = { MYNAH_NATS_URL: nats.url, MYNAH_WORKERS: '1', MYNAH_LOG_LEVEL: 'warn', ...options.env };
  const workers: ChildProcess[] = [];
  const startWorker = async (id: string) => {
    // Without the data folder and the database: a worker needs neither.
    const child = spawn(process.execPath, [...nodeFlags, CLI, 'worker', '--worker-id', id], {
      env: { ...process.env, ...common },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    workers.push(child);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const isReady = () => {
      if (child.exitCode !== null) throw new Error(`The worker exited: ${output}`);
      return output.includes('is ready');
    };
    await until(`worker ${id} is ready`, isReady, READY_TIMEOUT_MS);
    return child;
  };
  for (let index = 1; index <= options.workers; index++) await startWorker(`worker-${index}`);
  const gateways: RealServer[] = [];
  for (let index = 0; index < (options.gateways ?? 1); index++) {
    const dataFolder = join(folder, `gateway-${index + 1}`);
    await mkdir(dataFolder);
    // The first gateway has written the key of the cluster.
    if (gateways[0]) await copyFile(join(gateways[0].dataFolder, 'first-key'), join(dataFolder, 'first-key'));
    const gateway = await startSingleServer({
      dataFolder,
      nodeFlags,
      env: {
        ...common,
        MYNAH_ROLE: 'gateway',
        MYNAH_DATABASE_URL: postgres.address,
        MYNAH_FILES_URL: s3.url,
        MYNAH_FILES_ACCESS_KEY: s3.location.accessKey,
        MYNAH_FILES_SECRET_KEY: s3.location.secretKey,
      },
    });
    gateways.push(gateway);
  }
  return {
    gateway: gateways[0]!,
    gateways,
    workers,
    natsPid: nats.pid(),
    postgresPid: postgres.pid(),
    startWorker,
    async close() {
      for (const gateway of gateways) await gateway.close();
      for (const worker of workers) worker.kill('SIGKILL');
      await nats.stop();
      await postgres.stopImmediately();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A server for tests that is a cluster: two gateways that get connections in turn, and two remote workers. Throws when one of
 * the servers cannot be installed.
 */
export async function startClusterServer(env: Record<string, string> = {}): Promise<RealServer> {
  const cluster = await startRealCluster({ gateways: 2, workers: 2, env });
  if (cluster === undefined) throw new Error('NATS, PostgreSQL or the S3 server is missing.');
  const { gateway, gateways, workers } = cluster;
  let calls = 0;
  const balancer = await startBalancer(gateways.map(({ url }) => Number(new URL(url).port)));
  return {
    ...gateway,
    url: balancer.url,
    output: () => gateways.map(({ output }) => output()).join(''),
    speak: (body, init) => gateways[calls++ % gateways.length]!.speak(body, init),
    async health() {
      // Gateways know the tasks of a worker from its heartbeats. One shows an instant, and between two utterances a stream has
      // no task: a worker counts as active if it was at any time of the second.
      const seen: Health[] = [];
      for (let waitedMs = 0; waitedMs < HEARTBEATS_MS; waitedMs += LOOK_EVERY_MS) {
        await sleep(LOOK_EVERY_MS);
        seen.push((await (await fetch(`${balancer.url}/v1/health`)).json()) as Health);
      }
      const last = seen.at(-1)!;
      const mostActive = (index: number) => Math.max(...seen.map((each) => each.workers[index]?.active ?? 0));
      return {
        ...last,
        workers: last.workers.map((worker, index) => ({ ...worker, active: mostActive(index) })),
      };
    },
    workerPids: async () => workers.map(({ pid }) => pid!),
    async close() {
      balancer.stopAccepting();
      balancer.close();
      await cluster.close();
    },
  };
}
