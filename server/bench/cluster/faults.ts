import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessCluster } from '../../test/support/cluster/process-cluster.ts';
import { until } from '../../test/support/servers/real-server.ts';

/** A fault during streams: `inject` while they run, `repair` when they have ended. */
export interface Fault {
  readonly name: string;
  readonly description: string;
  /** A listener must not notice it: no stream fails or has an underrun. */
  readonly isUnnoticed: boolean;
  /** Clients of the killed gateway repeat their requests. */
  readonly killsGateway?: boolean;
  inject(cluster: ProcessCluster, repetition: number): Promise<void>;
  repair(cluster: ProcessCluster, repetition: number): Promise<void>;
}

const LATENCY_MS = 200;
const BLACK_OUT_MS = 5000;
const NOTHING = async () => {};

/** The worker with the most open tasks: the fault hits as many streams as possible. */
function busiestWorker({ workers, heartbeats }: ProcessCluster) {
  const openTasks = (name: string) => heartbeats.get(name)?.kinds[0]?.openTasks ?? 0;
  return workers.reduce((best, each) => (openTasks(each.name) > openTasks(best.name) ? each : best));
}

/** The worker that `inject` chose, for `repair`. */
const chosen = new WeakMap<ProcessCluster, ReturnType<typeof busiestWorker>>();

function chooseWorker(cluster: ProcessCluster) {
  const worker = busiestWorker(cluster);
  chosen.set(cluster, worker);
  return worker;
}

/** Waits until every worker has sent a heartbeat since now. */
async function untilAllPresent({ workers, heartbeats }: ProcessCluster): Promise<void> {
  const before = new Map(heartbeats);
  await until('all workers are present', () =>
    workers.every(({ name }) => heartbeats.get(name) !== before.get(name)),
  );
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'none',
    description: 'no fault, for comparison',
    isUnnoticed: true,
    inject: NOTHING,
    repair: NOTHING,
  },
  {
    name: 'kill-worker',
    description: '`kill -9` of the busiest worker',
    isUnnoticed: true,
    inject: (cluster) => chooseWorker(cluster).end('SIGKILL'),
    repair: async (cluster) => chosen.get(cluster)?.start(),
  },
  {
    name: 'stop-worker',
    description: '`SIGSTOP` of the busiest worker',
    isUnnoticed: true,
    inject: async (cluster) => chooseWorker(cluster).signal('SIGSTOP'),
    async repair(cluster) {
      chosen.get(cluster)?.signal('SIGCONT');
      await untilAllPresent(cluster);
    },
  },
  {
    name: 'partition-worker',
    description: 'the busiest worker cannot reach NATS, until the streams have ended',
    isUnnoticed: true,
    inject: async (cluster) => chooseWorker(cluster).proxy.hold(),
    async repair(cluster) {
      chosen.get(cluster)?.proxy.release();
      await untilAllPresent(cluster);
    },
  },
  {
    name: 'restart-nats',
    description: 'NATS is killed and started again',
    isUnnoticed: true,
    async inject({ nats }) {
      await nats.stop();
      await nats.startAgain();
    },
    repair: untilAllPresent,
  },
  {
    name: 'latency',
    description: `${LATENCY_MS} ms in each direction between all workers and NATS`,
    isUnnoticed: true,
    inject: async ({ workers }) => {
      for (const { proxy } of workers) proxy.delay(LATENCY_MS);
    },
    async repair(cluster) {
      for (const { proxy } of cluster.workers) proxy.delay(0);
      await untilAllPresent(cluster);
    },
  },
  {
    name: 'black-out',
    description: `no data between all workers and NATS for ${BLACK_OUT_MS / 1000} s`,
    isUnnoticed: false,
    async inject({ workers }) {
      for (const { proxy } of workers) proxy.hold();
      await sleep(BLACK_OUT_MS);
      for (const { proxy } of workers) proxy.release();
    },
    repair: untilAllPresent,
  },
  {
    name: 'restart-postgres',
    description: 'PostgreSQL is stopped immediately and started again',
    isUnnoticed: true,
    async inject({ postgres }) {
      await postgres.stopImmediately();
      await postgres.startAgain();
    },
    repair: NOTHING,
  },
  {
    name: 's3-unreachable',
    description: 'the S3 server is killed, and started again when the streams have ended',
    isUnnoticed: true,
    inject: ({ s3 }) => s3.stop(),
    repair: ({ s3 }) => s3.startAgain(),
  },
  {
    name: 'kill-gateway',
    description:
      '`kill -9` of a gateway; its clients repeat their requests at the other one with their idempotency key',
    isUnnoticed: false,
    killsGateway: true,
    inject: async ({ gateways }, repetition) => gateways[repetition % gateways.length]?.end('SIGKILL'),
    repair: async ({ gateways }, repetition) => gateways[repetition % gateways.length]?.start(),
  },
];
