import type { DispatchPolicy } from './dispatch-policy.ts';
import type { GatewayMessage, TaskOutcome, WorkerMessage, WorkKind } from './messages.ts';
import { areCompatible } from './version-skew.ts';

/** One attempt of a task in this worker. */
export interface TaskKey {
  readonly gatewayId: string;
  readonly task: string;
  readonly attempt: number;
}

/** What the dispatcher asks its transport and the engines to do. */
export type WorkerEffect =
  | { readonly type: 'send'; readonly gatewayId: string; readonly message: WorkerMessage }
  | {
      readonly type: 'run';
      readonly key: TaskKey;
      readonly kind: WorkKind;
      readonly payload: Uint8Array;
      readonly hasInput: boolean;
    }
  | {
      readonly type: 'input';
      readonly key: TaskKey;
      readonly payload: Uint8Array;
      readonly isLast: boolean;
    }
  /** A task without credit may produce events again. */
  | { readonly type: 'continue'; readonly key: TaskKey }
  | { readonly type: 'abort'; readonly key: TaskKey };

interface WorkerTask {
  readonly key: TaskKey;
  readonly kind: WorkKind;
  limit: number;
  /** Last sequence number used. */
  sent: number;
  /** The gateway has everything up to this one. */
  acknowledged: number;
  /** Messages that the gateway may not have. At most the limit minus what it has. */
  readonly retained: Map<number, WorkerMessage>;
  hasEnded: boolean;
  /** Remaining time. Does not run without credit. */
  remainingMs: number;
  tickedAtMs: number;
  heardAtMs: number;
  inputReceived: number;
  inputTaken: number;
  hasLastInput: boolean;
}

/** Capacity of this worker, by kind. */
export type Slots = Readonly<Partial<Record<WorkKind, number>>>;

/**
 * The worker's side of dispatch: a state machine without I/O, clock or randomness. It accepts or refuses tasks, numbers
 * their events, respects credit, repeats what was lost, and drops the tasks of gateways that are gone. Every method
 * returns the effects that the caller carries out, in order.
 */
export class WorkerDispatcher {
  readonly #policy: DispatchPolicy;
  readonly #version: string;
  readonly #boot: string;
  readonly #slots: Slots;
  readonly #tasks = new Map<string, WorkerTask>();
  /** The highest attempt of ended tasks, the most recent last. */
  readonly #fenced = new Map<string, number>();
  /** Gateways without responders, and since when. */
  readonly #silentGateways = new Map<string, number>();
  #isDraining = false;
  #isConnected = true;

  constructor(options: {
    readonly policy: DispatchPolicy;
    readonly version: string;
    /** Identity of this process, as in its heartbeats. */
    readonly boot: string;
    readonly slots: Slots;
  }) {
    this.#policy = options.policy;
    this.#version = options.version;
    this.#boot = options.boot;
    this.#slots = options.slots;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Tasks whose engine work has not ended. */
  openTasks(kind?: WorkKind): number {
    let count = 0;
    for (const task of this.#tasks.values())
      if (!task.hasEnded && (kind === undefined || task.kind === kind)) count += 1;
    return count;
  }

  /** All tasks, including those whose end is not acknowledged yet. */
  get retainedTasks(): number {
    return this.#tasks.size;
  }

  /** From now on new tasks are refused. */
  drain(): void {
    this.#isDraining = true;
  }

  receive(gatewayId: string, message: GatewayMessage, nowMs: number): readonly WorkerEffect[] {
    this.#silentGateways.delete(gatewayId);
    if (message.type === 'start') return this.#start(gatewayId, message, nowMs);
    const task = this.#tasks.get(idOf(gatewayId, message.task));
    if (task === undefined || task.key.attempt !== message.attempt) {
      // The gateway may count on this attempt: it must learn that the attempt is gone.
      return message.type === 'grant'
        ? [reply(gatewayId, { type: 'unknown', task: message.task, attempt: message.attempt })]
        : [];
    }
    task.heardAtMs = nowMs;
    switch (message.type) {
      case 'grant':
        return this.applyGrant(task, message);
      case 'input':
        return this.#receiveInput(task, message);
      case 'cancel':
        return this.#drop(task);
    }
  }

  /** Whether the task may produce an event. */
  hasCredit(key: TaskKey): boolean {
    const task = this.#find(key);
    // The end marker needs a number too, but no credit: it is small and the last one.
    return task !== undefined && !task.hasEnded && task.sent < task.limit;
  }

  /** Numbers an event and sends it. Events of a dropped task are discarded. */
  sendEvent(key: TaskKey, payload: Uint8Array): readonly WorkerEffect[] {
    const task = this.#find(key);
    if (task === undefined || task.hasEnded) return [];
    if (task.sent >= task.limit) throw new Error('An event was produced without credit.');
    task.sent += 1;
    return this.#send(task, { type: 'event', ...addressOf(key), seq: task.sent, payload });
  }

  /** Numbers the end of a task and sends it. */
  sendEnd(key: TaskKey, outcome: TaskOutcome): readonly WorkerEffect[] {
    const task = this.#find(key);
    if (task === undefined || task.hasEnded) return [];
    task.hasEnded = true;
    task.sent += 1;
    return this.#send(task, { type: 'end', ...addressOf(key), seq: task.sent, outcome });
  }

  /** Counts an input that the task has taken. */
  recordInputTaken(key: TaskKey): readonly WorkerEffect[] {
    const task = this.#find(key);
    if (task === undefined || task.inputTaken >= task.inputReceived) return [];
    task.inputTaken += 1;
    return [this.#acknowledgeInput(task)];
  }

  /** The transport reports that nothing receives the messages to this gateway. */
  handleNoResponder(gatewayId: string, nowMs: number): void {
    if (!this.#silentGateways.has(gatewayId)) this.#silentGateways.set(gatewayId, nowMs);
  }

  handleDisconnect(): void {
    this.#isConnected = false;
  }

  /** Silence during the disconnection says nothing about gateways. */
  handleReconnect(nowMs: number): void {
    this.#isConnected = true;
    this.#silentGateways.clear();
    for (const task of this.#tasks.values()) task.heardAtMs = nowMs + this.#policy.reconnectGraceMs;
  }

  /** To be called at least every `noResponderMs` / 2. */
  tick(nowMs: number): readonly WorkerEffect[] {
    const effects: WorkerEffect[] = [];
    const { gatewayLostMs, noResponderMs } = this.#policy;
    for (const task of [...this.#tasks.values()]) {
      if (!task.hasEnded && task.sent < task.limit) task.remainingMs -= nowMs - task.tickedAtMs;
      task.tickedAtMs = nowMs;
      const silentSince = this.#silentGateways.get(task.key.gatewayId) ?? Number.POSITIVE_INFINITY;
      const isGatewayLost =
        this.#isConnected && (nowMs - task.heardAtMs > gatewayLostMs || nowMs - silentSince >= noResponderMs);
      if (isGatewayLost || task.remainingMs <= 0) effects.push(...this.#drop(task));
    }
    for (const [gatewayId, sinceMs] of this.#silentGateways)
      if (nowMs - sinceMs >= noResponderMs) this.#silentGateways.delete(gatewayId);
    return effects;
  }

  /** Applies a cumulative grant. */
  protected applyGrant(
    task: WorkerTask,
    message: Extract<GatewayMessage, { readonly type: 'grant' }>,
  ): readonly WorkerEffect[] {
    const hadCredit = task.sent < task.limit;
    task.limit = Math.max(task.limit, message.limit);
    for (let seq = task.acknowledged + 1; seq <= Math.min(message.received, task.sent); seq++)
      task.retained.delete(seq);
    task.acknowledged = Math.max(task.acknowledged, message.received);
    if (task.hasEnded && task.acknowledged >= task.sent) {
      this.#forget(task);
      return [];
    }
    const effects: WorkerEffect[] = [];
    if (message.resend) {
      for (const retained of task.retained.values()) effects.push(reply(task.key.gatewayId, retained));
      if (message.inputSent > 0) effects.push(this.#acknowledgeInput(task));
    }
    if (!hadCredit && !task.hasEnded && task.sent < task.limit)
      effects.push({ type: 'continue', key: task.key });
    return effects;
  }

  #start(
    gatewayId: string,
    message: Extract<GatewayMessage, { readonly type: 'start' }>,
    nowMs: number,
  ): readonly WorkerEffect[] {
    const { task, attempt, kind, payload, hasInput } = message;
    // Meant for the process before this one, which may have sent a part of the task.
    if (message.boot !== this.#boot) return [reply(gatewayId, { type: 'unknown', task, attempt })];
    const id = idOf(gatewayId, task);
    const earlier = this.#tasks.get(id);
    if (this.#hasFenced(gatewayId, message) || (earlier !== undefined && earlier.key.attempt >= attempt))
      return [];
    const effects = earlier === undefined ? [] : [...this.#drop(earlier)];
    const reason = this.#refusalOf(message);
    if (reason !== undefined) {
      return [...effects, reply(gatewayId, { type: 'refused', task, attempt, reason })];
    }
    const key = { gatewayId, task, attempt };
    this.#tasks.set(id, {
      key,
      kind,
      limit: message.limit,
      sent: 0,
      acknowledged: 0,
      retained: new Map(),
      hasEnded: false,
      remainingMs: message.deadlineMs,
      tickedAtMs: nowMs,
      heardAtMs: nowMs,
      inputReceived: 0,
      inputTaken: 0,
      hasLastInput: !hasInput,
    });
    return [...effects, { type: 'run', key, kind, payload, hasInput }];
  }

  #refusalOf({ kind, version }: Extract<GatewayMessage, { readonly type: 'start' }>) {
    if (!areCompatible(version, this.#version)) return 'version';
    if (this.#isDraining) return 'draining';
    const slots = this.#slots[kind];
    if (slots === undefined) return 'kind';
    return this.openTasks(kind) >= slots ? 'full' : undefined;
  }

  #receiveInput(
    task: WorkerTask,
    { seq, payload, isLast }: Extract<GatewayMessage, { readonly type: 'input' }>,
  ): readonly WorkerEffect[] {
    // A later one means that something was lost: the acknowledgement makes the gateway repeat it.
    if (seq !== task.inputReceived + 1 || task.hasLastInput) return [this.#acknowledgeInput(task)];
    task.inputReceived = seq;
    task.hasLastInput = isLast;
    return [{ type: 'input', key: task.key, payload, isLast }, this.#acknowledgeInput(task)];
  }

  #acknowledgeInput(task: WorkerTask): WorkerEffect {
    const { inputReceived: received, inputTaken: taken, key } = task;
    return reply(key.gatewayId, { type: 'input-received', ...addressOf(key), received, taken });
  }

  #send(task: WorkerTask, message: WorkerMessage): readonly WorkerEffect[] {
    task.retained.set(task.sent, message);
    return [reply(task.key.gatewayId, message)];
  }

  #drop(task: WorkerTask): readonly WorkerEffect[] {
    this.#forget(task);
    return task.hasEnded ? [] : [{ type: 'abort', key: task.key }];
  }

  #forget(task: WorkerTask): void {
    const id = idOf(task.key.gatewayId, task.key.task);
    this.#tasks.delete(id);
    this.#fenced.delete(id);
    this.#fenced.set(id, task.key.attempt);
    for (const oldest of this.#fenced.keys()) {
      if (this.#fenced.size <= this.#policy.fencedTasksMax) break;
      this.#fenced.delete(oldest);
    }
  }

  /** Whether this attempt, or a later one, has ended here. */
  #hasFenced(gatewayId: string, message: { readonly task: string; readonly attempt: number }): boolean {
    return (this.#fenced.get(idOf(gatewayId, message.task)) ?? 0) >= message.attempt;
  }

  #find({ gatewayId, task, attempt }: TaskKey): WorkerTask | undefined {
    const found = this.#tasks.get(idOf(gatewayId, task));
    return found?.key.attempt === attempt ? found : undefined;
  }
}

function idOf(gatewayId: string, task: string): string {
  return `${gatewayId}.${task}`;
}

function addressOf({ task, attempt }: TaskKey): Pick<TaskKey, 'task' | 'attempt'> {
  return { task, attempt };
}

function reply(gatewayId: string, message: WorkerMessage): WorkerEffect {
  return { type: 'send', gatewayId, message };
}
