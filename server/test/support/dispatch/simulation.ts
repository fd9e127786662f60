import type { DispatchPolicy } from '../../../src/infrastructure/messaging/protocol/dispatch-policy.ts';
import { DEFAULT_DISPATCH_POLICY } from '../../../src/infrastructure/messaging/protocol/dispatch-policy.ts';
import { GatewayDispatcher } from '../../../src/infrastructure/messaging/protocol/gateway-dispatcher.ts';
import { WorkerDispatcher } from '../../../src/infrastructure/messaging/protocol/worker-dispatcher.ts';
import { chooseFaults, type FaultProfile } from './fault-profile.ts';
import { Random } from './random.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { SimulatedGateway } from './simulated-gateway.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import { SimulatedWorker } from './simulated-worker.ts';

/** How the nodes are made. Tests replace a part to plant a bug. */
export interface NodeFactories {
  readonly gateway: (options: ConstructorParameters<typeof GatewayDispatcher>[0]) => GatewayDispatcher;
  readonly worker: (options: ConstructorParameters<typeof WorkerDispatcher>[0]) => WorkerDispatcher;
}

export const CORRECT_NODES: NodeFactories = {
  gateway: (options) => new GatewayDispatcher(options),
  worker: (options) => new WorkerDispatcher(options),
};

/** What all nodes of a simulation share. */
export interface World {
  readonly random: Random;
  readonly clock: SimulatedClock;
  readonly network: SimulatedNetwork;
  readonly faults: FaultProfile;
  readonly policy: DispatchPolicy;
  readonly nodes: NodeFactories;
  /** Whether faults may happen now. */
  hasFaults(): boolean;
  /** Records a violated invariant. */
  fail(violation: string): void;
}

export interface SimulationResult {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly hasFaults: boolean;
  readonly tasks: number;
  /** Attempts beyond the first one of their task. */
  readonly repetitions: number;
  /** Attempts beside the one of a suspected worker, and those that replaced it. */
  readonly hedges: number;
  readonly replacements: number;
}

/** Faults happen before this time; afterwards every task must end. */
const FAULTS_END_MS = 12_000;
const END_MS = FAULTS_END_MS + 60_000;
const VIOLATIONS_MAX = 20;

/** Runs gateways and workers on a simulated network. Everything follows from the seed. */
export function simulate(seed: number, nodes: NodeFactories = CORRECT_NODES): SimulationResult {
  const random = new Random(seed);
  const clock = new SimulatedClock();
  const faults = chooseFaults(random);
  const violations: string[] = [];
  const network = new SimulatedNetwork({ random, clock, faults, faultsEndMs: FAULTS_END_MS });
  const policy: DispatchPolicy = {
    ...DEFAULT_DISPATCH_POLICY,
    window: random.integer(2, 8),
    inputWindow: random.integer(1, 4),
    lossesMax: 100,
    suspectLossesMax: 100,
    // Without hung engines no task may depend on this timeout: a lost credit must not be hidden by it.
    overdueMs: faults.engineHang > 0 ? 3000 : 1e9,
  };
  const world: World = {
    random,
    clock,
    network,
    faults,
    policy,
    nodes,
    hasFaults: () => clock.nowMs < FAULTS_END_MS,
    fail: (violation) => {
      if (violations.length < VIOLATIONS_MAX) violations.push(`${Math.round(clock.nowMs)} ms: ${violation}`);
    },
  };
  const workers = Array.from(
    { length: random.integer(2, 4) },
    (_, index) => new SimulatedWorker(world, `w${index}`),
  );
  const gateways = Array.from(
    { length: random.integer(1, 2) },
    (_, index) => new SimulatedGateway(world, `g${index}`),
  );
  for (const gateway of gateways) gateway.openTasks(random.integer(1, 6), FAULTS_END_MS - 4000);
  planFaults(world, workers, gateways);
  clock.runUntil(FAULTS_END_MS);
  const isIdle = () => [...gateways, ...workers].every((node) => node.isIdle);
  while (clock.nowMs < END_MS && !isIdle()) clock.runUntil(clock.nowMs + 1000);
  for (const gateway of gateways) gateway.checkEnd();
  for (const worker of workers) worker.checkEnd();
  return {
    seed,
    violations,
    hasFaults: faults.hasFaults,
    tasks: gateways.reduce((sum, gateway) => sum + gateway.taskCount, 0),
    repetitions: gateways.reduce((sum, gateway) => sum + gateway.repetitions, 0),
    hedges: gateways.reduce((sum, gateway) => sum + gateway.hedges, 0),
    replacements: gateways.reduce((sum, gateway) => sum + gateway.replacements, 0),
  };
}

function planFaults(
  { random, clock, faults, network }: World,
  workers: readonly SimulatedWorker[],
  gateways: readonly SimulatedGateway[],
): void {
  const all = [...workers, ...gateways];
  const plan = (count: number, run: () => void) => {
    for (let index = 0; index < count; index++) clock.after(random.integer(300, FAULTS_END_MS - 4000), run);
  };
  const pick = <T>(nodes: readonly T[]): T => nodes[random.integer(0, nodes.length - 1)]!;
  plan(faults.workerDeaths, () => pick(workers).die(random.integer(50, 3000)));
  plan(faults.drains, () => pick(workers).drain(random.integer(1000, 3000)));
  plan(faults.gatewayDeaths, () => pick(gateways).die());
  plan(faults.pauses, () => network.pause(pick(all).id, random.integer(50, 3500)));
  plan(faults.partitions, () => {
    const node = pick(all);
    const durationMs = random.integer(50, 3500);
    network.disconnect(node.id, durationMs);
    // The client library notices most disconnections, and some only late.
    if (random.chance(0.7)) node.noticeDisconnection(durationMs);
  });
}
