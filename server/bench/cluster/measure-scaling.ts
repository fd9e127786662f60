import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { formatTable } from '../../src/cli/table.ts';
import type { ProcessCluster } from '../../test/support/cluster/process-cluster.ts';
import { ENGINE_RATE_HZ } from '../clients/http-client.ts';
import { renderPlot } from '../line-plot.ts';
import { describeMachine } from '../machine.ts';
import { cpuSecondsOf } from '../processes/processes.ts';
import { quantile, sum } from '../statistics.ts';
import { HeldListeners } from './held-listeners.ts';
import { untilNothingIsLeft } from './leftovers.ts';
import { startMeasuredCluster } from './scripted-engine.ts';
import { readResults, resultsFile, writeResults } from './write-results.ts';

const GATEWAYS = 2;
/** Streams that one worker can synthesize in real time. */
const STREAMS_PER_WORKER = 32;
const WINDOW_SECONDS = 0.3;
/**
 * All clocks and timers of the cluster are slower than real time by this factor, so that two cores carry 1,000 streams. To
 * gateways and workers nothing is slow.
 */
const SLOWDOWN = 20;
/** A stream receives a window of 0.3 s about every five seconds: a shorter time counts too few of them. */
const SECONDS = '60';
/** The number of admitted streams is stable when it has not changed for this time. */
const STABLE_MS = 20_000;
const STABLE_TIMEOUT_MS = 180_000;
const SETTLE_TIMEOUT_MS = 120_000;
const LINEARITY_MIN = 0.9;

export const SCALING_HELP = `npm run measure-cluster -- scaling [--workers LIST] [--listeners N] [--seconds N] [--keep] [--svg FILE] [--json FILE]

Admitted streams and the CPU time of gateways against the number of workers, whose engines have a fixed simulated cost.
Results are written after every number of workers. --keep: keeps the results of earlier runs for other numbers of workers.
`;

/** One number of workers, as measured. */
interface ScalingStep {
  readonly workers: number;
  readonly listeners: number;
  readonly admitted: number;
  /** Audio that a stream has received since its first audio, relative to real time: the slowest twentieth, and the median. */
  readonly paceP5: number;
  readonly paceP50: number;
  /** CPU time of all gateways per second of audio: the CPU share of a stream in real time. */
  readonly gatewayCpuPerStream: number;
  /** Cores that all gateways used, including the listeners that wait. */
  readonly gatewayCores: number;
  readonly loadAverage: number;
  readonly failures: readonly string[];
  readonly finished: number;
}

/** Adds workers while all listeners wait or listen. Returns 1 if admission grows less than 0.9 linearly. */
export async function measureScaling(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      workers: { type: 'string', default: '1,2,4,8,16,32' },
      listeners: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: SECONDS },
      keep: { type: 'boolean', default: false },
      svg: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const counts = values.workers
    .split(',')
    .map(Number)
    .sort((a, b) => a - b);
  const file = resultsFile('scaling', values.json);
  const earlier = values.keep ? ((await readResults(file)) as readonly ScalingStep[] | undefined) : undefined;
  let steps = (earlier ?? []).filter(({ workers }) => !counts.includes(workers));
  const cluster = await startScalingCluster(counts[0] ?? 1);
  if (cluster === undefined) return 2;
  const listeners = new HeldListeners(cluster);
  let leftovers: readonly string[] = [];
  try {
    for (let index = 0; index < Number(values.listeners); index++) {
      listeners.open();
      await sleep(5);
    }
    for (const workers of counts) {
      while (cluster.workers.length < workers) await cluster.addWorker();
      const step = await measureStep(cluster, listeners, Number(values.seconds) * 1000);
      console.log(JSON.stringify(step));
      steps = [...steps, step].sort((a, b) => a.workers - b.workers);
      await writeResults(file, steps);
      if (values.svg !== undefined) await writeFile(values.svg, plotOf(steps));
    }
    listeners.close();
    leftovers = await untilNothingIsLeft(cluster, SETTLE_TIMEOUT_MS);
    process.stdout.write(
      `\n${formatTable(
        HEAD,
        steps.map((step) => rowOf(step, steps)),
      )}\n`,
    );
    if (leftovers.length > 0) console.log(`left after the run: ${leftovers.join(', ')}`);
  } finally {
    listeners.close();
    await cluster.close();
  }
  const isLinear = steps.every((step) => linearityOf(step, steps) >= LINEARITY_MIN);
  const hasFailed = steps.some(({ failures }) => failures.length > 0);
  return isLinear && !hasFailed && leftovers.length === 0 ? 0 : 1;
}

/** Admitted streams per worker, relative to those of the smallest number of workers. */
function linearityOf(step: ScalingStep, steps: readonly ScalingStep[]): number {
  const [first = step] = steps;
  return step.admitted / step.workers / (first.admitted / first.workers);
}

function startScalingCluster(workers: number): Promise<ProcessCluster | undefined> {
  const workSeconds = WINDOW_SECONDS / STREAMS_PER_WORKER;
  return startMeasuredCluster({
    gateways: GATEWAYS,
    workers,
    slowdown: SLOWDOWN,
    engine: {
      kind: 'scripted',
      windowMs: workSeconds * 1000,
      windowSamples: WINDOW_SECONDS * ENGINE_RATE_HZ,
      processes: 1,
      // As many tasks per stream as the default of `MYNAH_WORKER_SLOTS` allows with real engines.
      slots: 3 * STREAMS_PER_WORKER,
      workSeconds,
    },
    gatewayEnv: {
      MYNAH_STARTING_MAX: '10000',
      MYNAH_QUEUE_MAX: '10000',
      MYNAH_QUEUE_SECONDS: '3600',
      MYNAH_ENGINE_WAIT_SECONDS: '600',
      MYNAH_HOLD_SECONDS: '3600',
      MYNAH_LOG_LEVEL: 'warn',
    },
  });
}

async function measureStep(
  cluster: ProcessCluster,
  listeners: HeldListeners,
  measureMs: number,
): Promise<ScalingStep> {
  await untilStable(() => listeners.admitted);
  const cpuSeconds = () => cluster.gateways.reduce((sum, { pid }) => sum + cpuSecondsOf(pid()), 0);
  const [audioBefore, cpuBefore, startMs] = [listeners.audioSeconds(), cpuSeconds(), performance.now()];
  await sleep(measureMs);
  const seconds = (performance.now() - startMs) / 1000;
  const gatewaySeconds = cpuSeconds() - cpuBefore;
  const gained = listeners.audioSeconds().map((value, index) => value - (audioBefore[index] ?? 0));
  const paces = listeners.paces(startMs).map((pace) => pace * SLOWDOWN);
  return {
    workers: cluster.workers.length,
    listeners: gained.length,
    admitted: listeners.admitted,
    paceP5: quantile(paces, 0.05),
    paceP50: quantile(paces, 0.5),
    gatewayCpuPerStream: gatewaySeconds / sum(gained),
    gatewayCores: gatewaySeconds / seconds,
    loadAverage: describeMachine().loadAverage,
    failures: [...listeners.failures],
    finished: listeners.finished,
  };
}

async function untilStable(value: () => number): Promise<void> {
  let last = value();
  let changedAtMs = performance.now();
  const endMs = changedAtMs + STABLE_TIMEOUT_MS;
  while (performance.now() < endMs && performance.now() - changedAtMs < STABLE_MS) {
    await sleep(100);
    if (value() === last) continue;
    last = value();
    changedAtMs = performance.now();
  }
}

const HEAD = [
  'workers',
  'listeners',
  'admitted',
  'linearity',
  'pace p5',
  'pace p50',
  'gateway CPU per stream',
  'gateway cores',
  'failed',
];

function rowOf(step: ScalingStep, steps: readonly ScalingStep[]): string[] {
  return [
    `${step.workers}`,
    `${step.listeners}`,
    `${step.admitted}`,
    linearityOf(step, steps).toFixed(2),
    step.paceP5.toFixed(2),
    step.paceP50.toFixed(2),
    `${(step.gatewayCpuPerStream * 100).toFixed(2)} %`,
    step.gatewayCores.toFixed(2),
    `${step.failures.length}`,
  ];
}

function plotOf(steps: readonly ScalingStep[]): string {
  const perWorker = (steps[0]?.admitted ?? 0) / (steps[0]?.workers ?? 1);
  return renderPlot({
    title: 'Admitted streams against workers',
    subtitle: `Simulated engines, ${STREAMS_PER_WORKER} streams per worker at full load; two gateways`,
    xLabel: 'workers',
    yLabel: 'streams at the same time',
    xs: steps.map(({ workers }) => workers),
    lines: [
      { name: 'admitted', values: steps.map(({ admitted }) => admitted) },
      { name: '0.9 linear', values: steps.map(({ workers }) => LINEARITY_MIN * perWorker * workers) },
    ],
  });
}
