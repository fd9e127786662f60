import {
  type GatewayMessage,
  PROTOCOL_VERSION,
} from '../../../src/infrastructure/messaging/protocol/messages.ts';
import type {
  TaskKey,
  WorkerDispatcher,
  WorkerEffect,
} from '../../../src/infrastructure/messaging/protocol/worker-dispatcher.ts';
import { decodeTask, encodeWindow, type SimulatedTask } from './simulated-task.ts';
import type { World } from './simulation.ts';

const VERSION = '1.2.3';
const TICK_MS = 100;

/** A task that the engine of a worker runs. */
interface Run {
  readonly key: TaskKey;
  readonly task: SimulatedTask;
  position: number;
  inputs: number;
  /** The engine waits for credit. */
  isBlocked: boolean;
}

/** A worker whose engine produces numbered samples, in windows of random length. */
export class SimulatedWorker {
  readonly id: string;
  readonly #world: World;
  readonly #slots: number;
  #dispatcher: WorkerDispatcher;
  #runs = new Map<string, Run>();
  #boot = 0;
  #isAlive = true;

  constructor(world: World, id: string) {
    this.#world = world;
    this.id = id;
    this.#slots = world.random.integer(1, 6);
    this.#dispatcher = this.#start();
  }

  /** Ends like a killed process; starts again after this time. */
  die(downMs: number): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#runs.clear();
    this.#world.network.leave(this.id);
    this.#world.clock.after(downMs, () => {
      this.#dispatcher = this.#start();
    });
  }

  /** Refuses new tasks, and is replaced when it has finished its own. */
  drain(replaceMs: number): void {
    this.#dispatcher.drain();
    this.#world.clock.after(replaceMs, () => this.die(100));
  }

  noticeDisconnection(durationMs: number): void {
    this.#dispatcher.handleDisconnect();
    this.#world.clock.after(durationMs, () => {
      if (this.#isAlive) this.#dispatcher.handleReconnect(this.#world.clock.nowMs);
    });
  }

  /** No task is left. */
  get isIdle(): boolean {
    return this.#dispatcher.retainedTasks === 0 && this.#runs.size === 0;
  }

  checkEnd(): void {
    const { fail } = this.#world;
    if (this.#dispatcher.retainedTasks > 0) fail(`${this.id} keeps ${this.#dispatcher.retainedTasks} tasks`);
    if (this.#runs.size > 0) fail(`the engine of ${this.id} still runs ${this.#runs.size} tasks`);
  }

  #start(): WorkerDispatcher {
    const { nodes, policy, network } = this.#world;
    this.#isAlive = true;
    this.#boot += 1;
    const boot = this.#boot;
    const slots = { speech: this.#slots };
    const dispatcher = nodes.worker({ policy, version: VERSION, slots, boot: `${boot}` });
    network.join(this.id, {
      receive: (from, message) => {
        // The transport validates messages, so that the type is known here.
        if (boot === this.#boot)
          this.#apply(dispatcher.receive(from, message as GatewayMessage, this.#nowMs()));
      },
      noResponder: (gatewayId) => dispatcher.handleNoResponder(gatewayId, this.#nowMs()),
    });
    this.#repeat(boot, TICK_MS, () => this.#apply(dispatcher.tick(this.#nowMs())));
    this.#repeat(boot, policy.heartbeatMs, () => this.#sendHeartbeat(dispatcher));
    return dispatcher;
  }

  #repeat(boot: number, intervalMs: number, run: () => void): void {
    const { clock, network } = this.#world;
    clock.after(intervalMs, () =>
      network.runOn(this.id, () => {
        if (!this.#isAlive || boot !== this.#boot) return;
        run();
        this.#repeat(boot, intervalMs, run);
      }),
    );
  }

  #sendHeartbeat(dispatcher: WorkerDispatcher): void {
    const { network } = this.#world;
    const heartbeat = {
      boot: `${this.#boot}`,
      protocol: PROTOCOL_VERSION,
      version: VERSION,
      isDraining: dispatcher.isDraining,
      kinds: [
        {
          kind: 'speech',
          slots: this.#slots,
          openTasks: dispatcher.openTasks(),
          processes: 1,
          engines: [],
        },
      ],
    } as const;
    for (const id of network.members()) if (id.startsWith('g')) network.send(this.id, id, { heartbeat });
  }

  #apply(effects: readonly WorkerEffect[]): void {
    const { network, fail } = this.#world;
    for (const effect of effects) {
      switch (effect.type) {
        case 'send':
          network.send(this.id, effect.gatewayId, effect.message);
          break;
        case 'run':
          this.#run(effect.key, decodeTask(effect.payload));
          break;
        case 'input':
          this.#input(effect.key, decodeTask(effect.payload).id, effect.isLast);
          break;
        case 'continue': {
          const run = this.#runs.get(nameOf(effect.key));
          if (run?.isBlocked) this.#scheduleStep(run);
          break;
        }
        case 'abort':
          this.#runs.delete(nameOf(effect.key));
      }
    }
    const open = this.#dispatcher.openTasks();
    if (this.#runs.size > this.#slots)
      fail(`${this.id} runs ${this.#runs.size} tasks in ${this.#slots} slots`);
    if (open !== this.#runs.size) fail(`${this.id} counts ${open} tasks, its engine ${this.#runs.size}`);
  }

  #run(key: TaskKey, task: SimulatedTask): void {
    const { random, faults, hasFaults, fail } = this.#world;
    if (this.#runs.has(nameOf(key))) fail(`${nameOf(key)} runs twice on ${this.id}`);
    const run: Run = { key, task, position: 0, inputs: 0, isBlocked: false };
    this.#runs.set(nameOf(key), run);
    if (random.chance(faults.engineHang) && hasFaults()) return;
    if (task.inputs === 0) this.#scheduleStep(run);
  }

  #input(key: TaskKey, number: number, isLast: boolean): void {
    const run = this.#runs.get(nameOf(key));
    if (run === undefined) return;
    run.inputs += 1;
    if (number !== run.inputs)
      this.#world.fail(`${nameOf(key)} got input ${number} instead of ${run.inputs}`);
    if (isLast !== (run.inputs === run.task.inputs)) this.#world.fail(`${nameOf(key)}: wrong last input`);
    const { clock, random, network } = this.#world;
    const boot = this.#boot;
    clock.after(random.integer(1, 100), () =>
      network.runOn(this.id, () => {
        if (this.#isAlive && boot === this.#boot) this.#apply(this.#dispatcher.recordInputTaken(key));
      }),
    );
    if (isLast) this.#scheduleStep(run);
  }

  #scheduleStep(run: Run): void {
    const { clock, random, network } = this.#world;
    run.isBlocked = false;
    clock.after(random.integer(5, 150), () => network.runOn(this.id, () => this.#step(run)));
  }

  #step(run: Run): void {
    const { random, faults, hasFaults } = this.#world;
    if (!this.#isAlive || this.#runs.get(nameOf(run.key)) !== run) return;
    if (random.chance(faults.engineLoss) && hasFaults()) {
      this.#runs.delete(nameOf(run.key));
      this.#apply(this.#dispatcher.sendEnd(run.key, { type: 'lost', isSuspect: false }));
      return;
    }
    if (run.position >= run.task.samples) {
      this.#runs.delete(nameOf(run.key));
      this.#apply(this.#dispatcher.sendEnd(run.key, { type: 'done' }));
      return;
    }
    if (!this.#dispatcher.hasCredit(run.key)) {
      run.isBlocked = true;
      return;
    }
    const length = Math.min(random.integer(1, 400), run.task.samples - run.position);
    const payload = encodeWindow({ start: run.position, length });
    run.position += length;
    this.#apply(this.#dispatcher.sendEvent(run.key, payload));
    this.#scheduleStep(run);
  }

  #nowMs(): number {
    return this.#world.clock.nowMs;
  }
}

function nameOf({ gatewayId, task, attempt }: TaskKey): string {
  return `${gatewayId}.${task}.${attempt}`;
}
