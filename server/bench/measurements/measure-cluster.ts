import { setTimeout as sleep } from 'node:timers/promises';
import { startRealCluster } from '../../test/support/cluster/real-cluster.ts';
import type { BenchContext } from '../bench-context.ts';
import { type Address, streamSpeech, timeToFirstAudioMs } from '../clients/http-client.ts';
import { childrenOf, cpuSecondsOf } from '../processes/processes.ts';
import { atMost, cost, ms, type PartReport, times } from '../report.ts';
import { median, quantile } from '../statistics.ts';
import { TEXTS } from '../texts.ts';

const ADDED_MAX_MS = 10;
const CPU_RATIO_MAX = 1.15;
/** Time for the server to cancel an abandoned request, so that it does not affect the next measurement. */
const PAUSE_MS = 400;
const WARM_UPS = 20;
const CPU_RUNS_PER_EFFORT = 3;
/**
 * Texts of 95 s of audio before the cost of warm processes is measured. Meanwhile V8 compiles what runs often, and a cluster
 * has more processes in which it does so.
 */
const COLD_TEXTS = 12;

/** A gateway with one remote worker on this machine against the single process, in one run. */
export async function measureCluster({ server, effort }: BenchContext): Promise<PartReport> {
  const cluster = await startRealCluster({
    workers: 1,
    // As the single process has them: the launcher of `mynah` sets them for both roles.
    nodeFlags: process.execArgv,
    env: { MYNAH_WORKERS: `${server.workerPids.length}` },
  });
  if (cluster === undefined) {
    return { rows: [{ what: 'cluster', value: 'NATS, PostgreSQL or the S3 server is missing' }], data: {} };
  }
  try {
    const gateway: Address = { url: cluster.gateway.url, apiKey: cluster.gateway.key };
    const worker = cluster.workers[0]!.pid!;
    const cpuSecondsWith = (...pids: number[]) =>
      pids.flatMap((pid) => [pid, ...childrenOf(pid)]).reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
    /** Gateway and worker as the single process and its worker processes; the servers between them on their own. */
    const clusterClock: CpuClock = () => ({
      processes: cpuSecondsWith(cluster.gateway.process.pid!, worker),
      nats: cpuSecondsOf(cluster.natsPid),
      postgres: cpuSecondsWith(cluster.postgresPid),
    });
    const singleClock: CpuClock = () => ({ processes: server.cpuSeconds(), nats: 0, postgres: 0 });
    for (let run = 0; run < WARM_UPS; run++) {
      await streamSpeech(server, TEXTS[60]);
      await streamSpeech(gateway, TEXTS[60]);
    }
    const singleMs: number[] = [];
    const clusterMs: number[] = [];
    // Alternating, so that other load affects both equally.
    for (let run = 0; run < effort.firstAudioRuns; run++) {
      singleMs.push(await timeToFirstAudioMs(server, TEXTS[60]));
      await sleep(PAUSE_MS);
      clusterMs.push(await timeToFirstAudioMs(gateway, TEXTS[60]));
      await sleep(PAUSE_MS);
    }
    /** Costs of the same text with both, in turn. */
    const compare = async (runs: number) => {
      const costs: { readonly single: CpuSeconds; readonly remote: CpuSeconds }[] = [];
      for (let run = 0; run < runs; run++) {
        const single = await costOf(server, singleClock);
        costs.push({ single, remote: await costOf(gateway, clusterClock) });
      }
      return costs;
    };
    const coldRatio = ratioOf(await compare(COLD_TEXTS));
    const costs = await compare(CPU_RUNS_PER_EFFORT * effort.realTimeRuns);
    const singleCost = median(costs.map(({ single }) => single.processes));
    const remoteCost = median(costs.map(({ remote }) => remote.processes));
    const addedMs = median(clusterMs) - median(singleMs);
    const ratio = ratioOf(costs);
    return {
      rows: [
        { what: 'first audio, single process, p50', value: ms(median(singleMs)) },
        { what: 'first audio, gateway and remote worker, p50', value: ms(median(clusterMs)) },
        { what: 'first audio, gateway and remote worker, p95', value: ms(quantile(clusterMs, 0.95)) },
        {
          what: 'added by the cluster, p50',
          value: ms(addedMs),
          target: atMost(addedMs, ADDED_MAX_MS, ' ms'),
        },
        { what: 'CPU per audio second, single process', value: cost(singleCost) },
        { what: 'CPU per audio second, gateway and remote worker', value: cost(remoteCost) },
        {
          what: 'CPU per audio second, NATS',
          value: cost(median(costs.map(({ remote }) => remote.nats))),
        },
        {
          what: 'CPU per audio second, PostgreSQL',
          value: cost(median(costs.map(({ remote }) => remote.postgres))),
        },
        {
          what: 'CPU per audio second, cluster to single process',
          value: times(ratio),
          target: atMost(ratio, CPU_RATIO_MAX, ' ×'),
        },
        {
          what: `the same in the first ${COLD_TEXTS} texts of the processes`,
          value: times(coldRatio),
        },
      ],
      data: { singleMs, clusterMs, costs },
    };
  } finally {
    await cluster.close();
  }
}

interface CpuSeconds {
  readonly processes: number;
  readonly nats: number;
  readonly postgres: number;
}

/** Median cost of the cluster, relative to that of the single process. */
function ratioOf(costs: readonly { readonly single: CpuSeconds; readonly remote: CpuSeconds }[]): number {
  const single = median(costs.map((each) => each.single.processes));
  return median(costs.map((each) => each.remote.processes)) / single;
}

/** CPU seconds so far. */
type CpuClock = () => CpuSeconds;

/** CPU seconds per second of audio. */
async function costOf(address: Address, cpuSeconds: CpuClock): Promise<CpuSeconds> {
  const before = cpuSeconds();
  const { audioSeconds } = await streamSpeech(address, TEXTS[1500]);
  const after = cpuSeconds();
  const perSecond = (name: keyof CpuSeconds) => (after[name] - before[name]) / audioSeconds;
  return { processes: perSecond('processes'), nats: perSecond('nats'), postgres: perSecond('postgres') };
}
