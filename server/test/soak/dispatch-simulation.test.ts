import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayDispatcher } from '../../src/infrastructure/messaging/protocol/gateway-dispatcher.ts';
import { WorkerDispatcher } from '../../src/infrastructure/messaging/protocol/worker-dispatcher.ts';
import {
  CORRECT_NODES,
  type NodeFactories,
  type SimulationResult,
  simulate,
} from '../support/dispatch/simulation.ts';

/** MYNAH_TEST_SIMULATIONS: number of seeds. MYNAH_TEST_SIMULATION_SEED: replays one seed. */
const COUNT = Number(process.env.MYNAH_TEST_SIMULATIONS ?? 400);
const REPLAYED = process.env.MYNAH_TEST_SIMULATION_SEED;
/** Seeds until a planted bug must be found. */
const PLANTED_COUNT = 400;

function describe({ seed, violations }: SimulationResult): string {
  const list = violations.map((violation) => `  ${violation}`).join('\n');
  return `Seed ${seed} violates an invariant; replay it with MYNAH_TEST_SIMULATION_SEED=${seed}:\n${list}`;
}

function findViolation(nodes: NodeFactories, count: number): SimulationResult | undefined {
  for (let seed = 1; seed <= count; seed++) {
    const result = simulate(seed, nodes);
    if (result.violations.length > 0) return result;
  }
  return undefined;
}

test('dispatch keeps its invariants under lost, late, duplicated and reordered messages and dying nodes', () => {
  const seeds =
    REPLAYED === undefined ? Array.from({ length: COUNT }, (_, index) => index + 1) : [Number(REPLAYED)];
  let tasks = 0;
  let repetitions = 0;
  let hedges = 0;
  let replacements = 0;
  for (const seed of seeds) {
    const result = simulate(seed);
    assert.deepEqual(result.violations, [], describe(result));
    tasks += result.tasks;
    repetitions += result.repetitions;
    hedges += result.hedges;
    replacements += result.replacements;
  }
  // The simulation must reach what it is for.
  if (REPLAYED === undefined)
    assert.ok(
      tasks > 0 && repetitions > 0 && replacements > 0 && hedges > replacements,
      `${tasks} tasks, ${repetitions} repetitions, ${hedges} hedges, ${replacements} replacements`,
    );
});

test('equal seeds give equal simulations', () => {
  assert.deepEqual(simulate(77), simulate(77));
});

test('the simulation finds missing fencing', () => {
  class Unfenced extends GatewayDispatcher {
    protected override isCurrent(): boolean {
      return true;
    }
  }
  const found = findViolation(
    { ...CORRECT_NODES, gateway: (options) => new Unfenced(options) },
    PLANTED_COUNT,
  );
  assert.ok(found);
});

test('the simulation finds a duplicated window', () => {
  class Duplicating extends GatewayDispatcher {
    protected override isDuplicate(): boolean {
      return false;
    }
  }
  const found = findViolation(
    { ...CORRECT_NODES, gateway: (options) => new Duplicating(options) },
    PLANTED_COUNT,
  );
  assert.ok(found);
});

test('the simulation finds a lost credit', () => {
  class Forgetful extends WorkerDispatcher {
    protected override applyGrant(...[task, message]: Parameters<WorkerDispatcher['applyGrant']>) {
      // Credit of a grant is added to what was sent, as if no grant could be lost or repeated.
      return super.applyGrant(task, { ...message, limit: Math.min(message.limit, task.limit) });
    }
  }
  const found = findViolation(
    { ...CORRECT_NODES, worker: (options) => new Forgetful(options) },
    PLANTED_COUNT,
  );
  assert.ok(found);
});
