import type {
  DispatchOutcome,
  GatewayEffect,
} from '../../../src/infrastructure/messaging/protocol/dispatch-task.ts';
import type { GatewayDispatcher } from '../../../src/infrastructure/messaging/protocol/gateway-dispatcher.ts';
import type { Heartbeat, WorkerMessage } from '../../../src/infrastructure/messaging/protocol/messages.ts';
import { AttemptJoiner } from '../../../src/infrastructure/messaging/speech/attempt-joiner.ts';
import { decodeWindow, encodeTask, type SimulatedTask } from './simulated-task.ts';
import type { World } from './simulation.ts';

const VERSION = '1.3.0';
const TICK_MS = 50;
const RATE_HZ = 24_000;

/** A task and its listener. */
interface Listener {
  readonly id: string;
  readonly task: SimulatedTask;
  readonly readMs: number;
  readonly joiner: AttemptJoiner;
  readonly unread: { readonly attempt: number; readonly payload: Uint8Array }[];
  attempt: number;
  /** The last attempt that started beside the running one. */
  hedge: number;
  /** Events of the current attempt that have arrived, and of the one before. */
  events: number;
  eventsBefore: number;
  /** The next sample must have this number. */
  expected: number;
  outcome: DispatchOutcome | undefined;
  isReading: boolean;
}

/** A gateway whose listeners check every sample. */
export class SimulatedGateway {
  readonly id: string;
  repetitions = 0;
  /** Attempts that started beside the running one, and those of them that replaced it. */
  hedges = 0;
  replacements = 0;
  readonly #world: World;
  readonly #dispatcher: GatewayDispatcher;
  readonly #listeners = new Map<string, Listener>();
  #isAlive = true;

  constructor(world: World, id: string) {
    this.#world = world;
    this.id = id;
    this.#dispatcher = world.nodes.gateway({ policy: world.policy, version: VERSION });
    world.network.join(id, {
      receive: (from, message) => this.#receive(from, message),
      noResponder: (workerId) => this.#apply(this.#dispatcher.handleNoResponder(workerId, this.#nowMs())),
    });
    this.#repeatTick();
  }

  get taskCount(): number {
    return this.#listeners.size;
  }

  openTasks(count: number, untilMs: number): void {
    const { random, clock, network } = this.#world;
    for (let index = 0; index < count; index++) {
      const task = {
        id: index,
        samples: random.integer(1, 6000),
        inputs: random.chance(0.3) ? random.integer(1, 6) : 0,
      };
      const readMs = random.chance(0.2) ? random.integer(100, 400) : random.integer(1, 40);
      const isHedged = random.chance(0.7);
      const willCancel = random.chance(0.15);
      clock.after(random.integer(0, untilMs), () => {
        network.runOn(this.id, () => this.#open(task, { readMs, isHedged }));
        if (willCancel)
          clock.after(random.integer(0, 2000), () => this.#apply(this.#dispatcher.cancel(`t${index}`)));
      });
    }
  }

  /** Ends like a killed process and does not return. */
  die(): void {
    this.#isAlive = false;
    this.#world.network.leave(this.id);
  }

  noticeDisconnection(durationMs: number): void {
    this.#dispatcher.handleDisconnect();
    this.#world.clock.after(durationMs, () => {
      if (this.#isAlive) this.#apply(this.#dispatcher.handleReconnect(this.#nowMs()));
    });
  }

  /** Every task has ended, and its listener has read everything. */
  get isIdle(): boolean {
    if (!this.#isAlive) return true;
    return [...this.#listeners.values()].every(
      ({ outcome, isReading }) => outcome !== undefined && !isReading,
    );
  }

  checkEnd(): void {
    if (!this.#isAlive) return;
    const { fail, faults } = this.#world;
    if (this.#dispatcher.openTasks > 0) fail(`${this.id} keeps ${this.#dispatcher.openTasks} tasks`);
    for (const listener of this.#listeners.values()) {
      const { outcome, task, attempt } = listener;
      if (outcome === undefined) fail(`${this.id} ${listener.id} has no outcome`);
      if (outcome?.type === 'done' && listener.expected !== task.samples) {
        fail(`${this.id} ${listener.id} is done after ${listener.expected} of ${task.samples} samples`);
      }
      if (faults.hasFaults || outcome === undefined) continue;
      if (!['done', 'cancelled'].includes(outcome.type))
        fail(`${listener.id} ends ${outcome.type} without faults`);
      if (attempt > 1 && this.repetitions > 0)
        fail(`${listener.id} was dispatched ${attempt} times without faults`);
    }
  }

  #open(task: SimulatedTask, { readMs, isHedged }: { readMs: number; isHedged: boolean }): void {
    if (!this.#isAlive) return;
    const id = `t${task.id}`;
    this.#listeners.set(id, {
      id,
      task,
      readMs,
      joiner: new AttemptJoiner(),
      unread: [],
      attempt: 0,
      hedge: 0,
      events: 0,
      eventsBefore: 0,
      expected: 0,
      outcome: undefined,
      isReading: false,
    });
    const open = {
      id,
      kind: 'speech',
      key: `${task.id % 3}`,
      payload: encodeTask(task),
      hasInput: task.inputs > 0,
      isHedged,
      deadlineMs: 1e6,
      waitMs: 60_000,
    } as const;
    this.#apply(this.#dispatcher.open(open, this.#nowMs()));
  }

  #receive(from: string, message: unknown): void {
    if (!this.#isAlive) return;
    // The transport validates messages, so that the types are known here.
    if (typeof message === 'object' && message !== null && 'heartbeat' in message) {
      const heartbeat = message.heartbeat as Heartbeat;
      this.#apply(this.#dispatcher.receiveHeartbeat(from, heartbeat, this.#nowMs()));
      return;
    }
    this.#apply(this.#dispatcher.receive(from, message as WorkerMessage, this.#nowMs()));
  }

  #repeatTick(): void {
    const { clock, network } = this.#world;
    clock.after(TICK_MS, () =>
      network.runOn(this.id, () => {
        if (!this.#isAlive) return;
        this.#apply(this.#dispatcher.tick(this.#nowMs()));
        this.#repeatTick();
      }),
    );
  }

  #apply(effects: readonly GatewayEffect[]): void {
    if (!this.#isAlive) return;
    for (const effect of effects) this.#applyOne(effect);
  }

  #applyOne(effect: GatewayEffect): void {
    const { network, fail, policy } = this.#world;
    if (effect.type === 'presence') return;
    if (effect.type === 'send') {
      network.send(this.id, effect.workerId, effect.message);
      if (effect.message.type === 'start') this.#countHedge(effect.message);
      return;
    }
    const listener = this.#listeners.get(effect.taskId);
    if (listener === undefined) return;
    if (listener.outcome !== undefined) fail(`${this.id} ${listener.id}: ${effect.type} after its end`);
    switch (effect.type) {
      case 'attempt':
        if (listener.expected > 0) this.repetitions += 1;
        if (effect.attempt <= listener.attempt) fail(`${listener.id}: attempt ${effect.attempt} is not new`);
        if (effect.attempt === listener.hedge) this.replacements += 1;
        listener.attempt = effect.attempt;
        listener.eventsBefore = listener.events;
        listener.events = 0;
        break;
      case 'event':
        if (effect.attempt !== listener.attempt) fail(`${listener.id}: event of attempt ${effect.attempt}`);
        listener.unread.push(effect);
        listener.events += 1;
        // A hedged attempt brings what the one before had delivered.
        if (
          listener.unread.filter(({ attempt }) => attempt === effect.attempt).length >
          policy.window + listener.eventsBefore
        ) {
          fail(`${listener.id}: more events than the window`);
        }
        this.#startReading(listener);
        break;
      case 'input-wanted':
        this.#sendInput(listener, effect.attempt, effect.seq);
        break;
      case 'end':
        listener.outcome = effect.outcome;
        if (effect.outcome.type === 'cancelled') listener.unread.length = 0;
        else this.#startReading(listener);
    }
  }

  /** A start without an `attempt` effect before it is a hedge. */
  #countHedge({ task, attempt }: { readonly task: string; readonly attempt: number }): void {
    const listener = this.#listeners.get(task);
    if (listener === undefined || attempt <= listener.attempt) return;
    this.hedges += 1;
    listener.hedge = attempt;
  }

  #sendInput({ id, task }: Listener, attempt: number, seq: number): void {
    const { clock, random, network } = this.#world;
    const payload = encodeTask({ ...task, id: seq });
    clock.after(random.integer(1, 30), () =>
      network.runOn(this.id, () =>
        this.#apply(this.#dispatcher.sendInput(id, attempt, { payload, isLast: seq === task.inputs })),
      ),
    );
  }

  #startReading(listener: Listener): void {
    if (listener.isReading) return;
    listener.isReading = true;
    this.#world.clock.after(listener.readMs, () =>
      this.#world.network.runOn(this.id, () => {
        listener.isReading = false;
        this.#read(listener);
      }),
    );
  }

  #lastAttemptRead = new WeakMap<Listener, number>();

  #read(listener: Listener): void {
    if (!this.#isAlive) return;
    const next = listener.unread.shift();
    if (next === undefined) {
      if (listener.outcome?.type === 'done') this.#check(listener, listener.joiner.end()?.samples);
      return;
    }
    if (this.#lastAttemptRead.get(listener) !== next.attempt) listener.joiner.restart();
    this.#lastAttemptRead.set(listener, next.attempt);
    const { start, length } = decodeWindow(next.payload);
    const samples = Float32Array.from({ length }, (_, index) => start + index);
    this.#check(listener, listener.joiner.add({ samples, sampleRateHz: RATE_HZ })?.samples);
    this.#apply(this.#dispatcher.recordConsumed(listener.id, next.attempt, this.#nowMs()));
    if (listener.unread.length > 0 || listener.outcome !== undefined) this.#startReading(listener);
  }

  #check(listener: Listener, samples: Float32Array | undefined): void {
    for (const sample of samples ?? []) {
      if (sample !== listener.expected) {
        this.#world.fail(`${this.id} ${listener.id}: sample ${sample} instead of ${listener.expected}`);
        return;
      }
      listener.expected += 1;
    }
  }

  #nowMs(): number {
    return this.#world.clock.nowMs;
  }
}
