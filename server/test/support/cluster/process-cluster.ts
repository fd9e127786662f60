import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../../../src/config/package-info.ts';
import { createApiKeys } from '../../../src/domain/accounts/keys/api-keys.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import type { Heartbeat } from '../../../src/infrastructure/messaging/protocol/messages.ts';
import { decodeHeartbeat } from '../../../src/infrastructure/messaging/transport/message-codec.ts';
import { connectNats } from '../../../src/infrastructure/messaging/transport/nats-bus.ts';
import { Subjects, senderOf } from '../../../src/infrastructure/messaging/transport/subjects.ts';
import { type OpenDatabase, openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { SqlLedger } from '../../../src/infrastructure/sql/ledger/sql-ledger.ts';
import { SqlKeyStore } from '../../../src/infrastructure/sql/sql-key-store.ts';
import { freePorts } from '../servers/free-ports.ts';
import { type PrivateNats, startPrivateNats } from '../servers/nats-server.ts';
import { MAIN, until } from '../servers/real-server.ts';
import { type PrivateS3, privateS3 } from '../servers/s3-server.ts';
import { type PrivatePostgres, startRestartablePostgres } from '../sql/private-postgres.ts';
import { slowDatabase, slowProcess } from './slow-motion.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const CLI = fileURLToPath(new URL('../../../bundle/cli.js', import.meta.url));
const SCRIPTED_WORKER = fileURLToPath(new URL('../workers/speech-worker-main.js', import.meta.url));
const READY_TIMEOUT_MS = 300_000;
const CREDIT_USD = 1_000_000;

/** An engine whose audio is a sine and whose cost is a timer, or the engines of the product. */
export type ClusterEngine =
  | {
      readonly kind: 'scripted';
      /** Time that an engine needs for a window. */
      readonly windowMs: number;
      readonly windowSamples: number;
      /** Worker processes that each worker reports: with their number and the cost of audio, gateways compute its capacity. */
      readonly processes: number;
      readonly slots: number;
      /** Reported cost of a window; the worker then makes one window at a time. */
      readonly workSeconds?: number;
    }
  | { readonly kind: 'real' };

export interface ProcessClusterOptions {
  readonly gateways: number;
  readonly workers: number;
  readonly engine: ClusterEngine;
  readonly gatewayEnv?: Record<string, string>;
  /** Gateways, workers and the clock of the database are slower than real time by this factor. Default: 1. */
  readonly slowdown?: number;
}

/** A process of the cluster that can be ended and started again. */
export interface ClusterProcess {
  readonly name: string;
  readonly pid: () => number;
  /** Starts the process and resolves when it is ready. */
  start(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Ends the process with a signal and waits for its exit. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

export interface ClusterGateway extends ClusterProcess {
  readonly url: string;
}

/** A worker, with the proxy between it and NATS. */
export interface ClusterWorkerProcess extends ClusterProcess {
  readonly proxy: TcpProxy;
}

/** Gateways and workers in processes of their own, with PostgreSQL, NATS and S3, for measurements under load and faults. */
export interface ProcessCluster {
  readonly gateways: readonly ClusterGateway[];
  readonly workers: readonly ClusterWorkerProcess[];
  readonly nats: PrivateNats;
  readonly postgres: PrivatePostgres;
  readonly s3: PrivateS3;
  readonly db: OpenDatabase;
  readonly ledger: SqlLedger;
  /** An account with credit, and its key. */
  readonly accountId: string;
  readonly key: string;
  /** The last heartbeat of each worker. */
  readonly heartbeats: ReadonlyMap<string, Heartbeat>;
  /** Starts one more worker. */
  addWorker(): Promise<void>;
  close(): Promise<void>;
}

/** Undefined when one of the servers cannot be installed. */
export async function startProcessCluster(
  options: ProcessClusterOptions,
): Promise<ProcessCluster | undefined> {
  const [nats, postgres, s3] = await Promise.all([
    startPrivateNats(),
    startRestartablePostgres(),
    privateS3(),
  ]);
  if (nats === undefined || postgres === undefined || s3 === undefined) return undefined;
  const slowMotion =
    options.slowdown === undefined ? undefined : { factor: options.slowdown, fromMs: Date.now() };
  if (slowMotion !== undefined) await slowDatabase(postgres.address, slowMotion);
  const slow = slowMotion === undefined ? { args: [], env: {} } : slowProcess(slowMotion);
  const folder = await mkdtemp(join(tmpdir(), 'mynah-processes-'));
  const heartbeats = new Map<string, Heartbeat>();
  const watch = await connectNats({ url: nats.url, name: 'watch' });
  watch.subscribe(new Subjects().presence('*'), ({ subject, payload }) => {
    const [id, heartbeat] = [senderOf(subject), decodeHeartbeat(payload)];
    if (id !== undefined && heartbeat !== undefined) heartbeats.set(id, heartbeat);
  });
  const workers: ClusterWorkerProcess[] = [];
  const addWorker = async () => {
    const id = `worker-${workers.length + 1}`;
    const proxy = await startTcpProxy(nats.port);
    const { args, env } = workerCommand(id, `nats://127.0.0.1:${proxy.port}`, options.engine);
    const isReady = (since: string | undefined) => {
      const boot = heartbeats.get(id)?.boot;
      return boot !== undefined && boot !== since;
    };
    const part = clusterProcess(folder, id, {
      args: [...slow.args, ...args],
      env: { ...slow.env, ...env },
      boot: () => heartbeats.get(id)?.boot,
      isReady,
    });
    workers.push({ ...part, proxy });
    await part.start();
  };
  while (workers.length < options.workers) await addWorker();
  const gateways: ClusterGateway[] = [];
  for (let index = 1; index <= options.gateways; index++) {
    const name = `gateway-${index}`;
    const [port] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const env = {
      PORT: `${port}`,
      MYNAH_ROLE: 'gateway',
      MYNAH_DATA: join(folder, name),
      MYNAH_NATS_URL: nats.url,
      MYNAH_DATABASE_URL: postgres.address,
      MYNAH_FILES_URL: s3.url,
      MYNAH_FILES_ACCESS_KEY: s3.location.accessKey,
      MYNAH_FILES_SECRET_KEY: s3.location.secretKey,
      MYNAH_LOG_LEVEL: 'info',
      ...slow.env,
      ...options.gatewayEnv,
    };
    await mkdir(env.MYNAH_DATA);
    const isReady = async () =>
      (await fetch(`${url}/v1/health/ready`).catch(() => undefined))?.status === 200;
    const gateway = { ...clusterProcess(folder, name, { args: [...slow.args, MAIN], env, isReady }), url };
    gateways.push(gateway);
    await gateway.start();
  }
  const db = await openDatabase(postgres.address);
  const account = await createAccount(db);
  return {
    gateways,
    workers,
    nats,
    postgres,
    s3,
    db,
    ledger: new SqlLedger(db),
    ...account,
    heartbeats,
    addWorker,
    async close() {
      await Promise.all([...gateways, ...workers].map((each) => each.end('SIGKILL')));
      for (const { proxy } of workers) await proxy.close();
      await watch.close();
      await db.destroy();
      await nats.stop();
      await postgres.stopImmediately();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function workerCommand(id: string, natsUrl: string, engine: ClusterEngine) {
  if (engine.kind === 'real') {
    const env = { MYNAH_NATS_URL: natsUrl, MYNAH_WORKERS: '1', MYNAH_LOG_LEVEL: 'info' };
    return { args: [CLI, 'worker', '--worker-id', id], env };
  }
  const { windowMs, windowSamples, processes, slots, workSeconds } = engine;
  const env = {
    NATS_URL: natsUrl,
    WORKER_ID: id,
    WORKER_VERSION: VERSION,
    WINDOW_MS: `${windowMs}`,
    WINDOW_SAMPLES: `${windowSamples}`,
    PROCESSES: `${processes}`,
    SLOTS: `${slots}`,
    ...(workSeconds !== undefined && { WORK_SECONDS: `${workSeconds}` }),
  };
  return { args: [SCRIPTED_WORKER], env };
}

/** An account with a limit that no measurement reaches. */
async function createAccount(db: OpenDatabase) {
  const accountId = 'acc_cluster';
  const store = new SqlKeyStore(db);
  await store.ensureAccount({ id: accountId, name: accountId, createdAtMs: Date.now() });
  await store.changeAccount(accountId, { concurrencyMax: 10_000 });
  const amountNano = CREDIT_USD * NANO_PER_USD;
  await new SqlLedger(db).topUp({ id: 'credit', accountId, amountNano, memo: '' });
  const { key } = await createApiKeys({ store }).create({ accountId, name: 'cluster' });
  return { accountId, key };
}

function clusterProcess(
  folder: string,
  name: string,
  {
    args,
    env,
    boot = () => undefined,
    isReady,
  }: {
    readonly args: readonly string[];
    readonly env: Record<string, string>;
    readonly boot?: () => string | undefined;
    readonly isReady: (earlierBoot: string | undefined) => boolean | Promise<boolean>;
  },
): ClusterProcess {
  let child: ChildProcess | undefined;
  process.once('exit', () => child?.kill('SIGKILL'));
  return {
    name,
    pid: () => child?.pid ?? 0,
    async start() {
      const earlierBoot = boot();
      const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
      await once(log, 'open');
      const started = spawn(process.execPath, [...args], {
        env: { ...process.env, ...env },
        stdio: ['ignore', log, log],
      });
      child = started;
      log.close();
      await until(
        `${name} is ready`,
        () => {
          if (started.exitCode !== null || started.signalCode !== null)
            throw new Error(`${name} ended with ${started.exitCode ?? started.signalCode}.`);
          return isReady(earlierBoot);
        },
        READY_TIMEOUT_MS,
      );
    },
    signal: (signal) => void child?.kill(signal),
    async end(signal) {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
  };
}
