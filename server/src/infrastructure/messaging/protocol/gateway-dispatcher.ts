import { chooseWorker } from './choose-worker.ts';
import type { DispatchPolicy } from './dispatch-policy.ts';
import type {
  GatewayMessage,
  Heartbeat,
  RefusalReason,
  TaskOutcome,
  WorkerMessage,
  WorkKind,
} from './messages.ts';
import { type PresenceChange, PresenceTable } from './presence-table.ts';

/** A task to dispatch. */
export interface DispatchTask {
  readonly id: string;
  readonly kind: WorkKind;
  /** Tasks with an equal key prefer the same worker. */
  readonly key: string;
  readonly lastWorkerId?: string | undefined;
  readonly payload: Uint8Array;
  readonly hasInput: boolean;
  /** Time for the task in a worker. */
  readonly deadlineMs: number;
  /** Maximum wait for a worker with a free slot. */
  readonly waitMs: number;
}

/** How a task ended for its caller. */
export type DispatchOutcome =
  | TaskOutcome
  /** No worker had a free slot in time. `reason`: why the last one refused. */
  | { readonly type: 'unavailable'; readonly reason: RefusalReason | 'none' }
  | { readonly type: 'deadline' }
  | { readonly type: 'cancelled' };

/** What the dispatcher asks its transport and the callers of tasks to do. */
export type GatewayEffect =
  | { readonly type: 'send'; readonly workerId: string; readonly message: GatewayMessage }
  /** An attempt begins: the events of the task start again from the beginning. */
  | {
      readonly type: 'attempt';
      readonly taskId: string;
      readonly attempt: number;
      readonly workerId: string;
    }
  | {
      readonly type: 'event';
      readonly taskId: string;
      readonly attempt: number;
      readonly payload: Uint8Array;
    }
  /** The worker can take the next input of this attempt. */
  | { readonly type: 'input-wanted'; readonly taskId: string; readonly attempt: number; readonly seq: number }
  | { readonly type: 'end'; readonly taskId: string; readonly outcome: DispatchOutcome }
  | { readonly type: 'presence'; readonly workerId: string; readonly change: PresenceChange | 'lost' };

interface RunningAttempt {
  readonly number: number;
  readonly workerId: string;
  /** All events up to this sequence number were delivered to the caller. */
  received: number;
  /** Events that the caller has read. */
  consumed: number;
  limit: number;
  heardAtMs: number;
  /** The last event or newly acknowledged input. */
  progressAtMs: number;
  grantedAtMs: number;
  /** A message beyond the next one has arrived: something was lost. */
  hasGap: boolean;
  inputSent: number;
  inputReceived: number;
  inputTaken: number;
  inputWanted: number;
  hasLastInput: boolean;
  /** Inputs that the worker has not acknowledged. */
  readonly unacknowledged: Map<number, { readonly payload: Uint8Array; readonly isLast: boolean }>;
}

interface OpenTask {
  readonly task: DispatchTask;
  /** The caller has waited for a worker since then. */
  waitsSinceMs: number;
  /** Remaining time of the task. Does not run while the caller has not read what has arrived. */
  remainingMs: number;
  tickedAtMs: number;
  /** Attempts so far, refused ones included. */
  attempts: number;
  losses: number;
  suspectLosses: number;
  refusal: RefusalReason | 'none';
  readonly excluded: Set<string>;
  retryAtMs: number;
  lastWorkerId: string | undefined;
  running: RunningAttempt | undefined;
}

/**
 * The gateway's side of dispatch: a state machine without I/O, clock or randomness. It chooses workers, delivers the
 * events of a task in order and once, grants credit as the caller reads, and dispatches a task again when its worker is
 * lost. Every method returns the effects that the caller carries out, in order.
 */
export class GatewayDispatcher {
  readonly presence: PresenceTable;
  readonly #policy: DispatchPolicy;
  readonly #version: string;
  readonly #tasks = new Map<string, OpenTask>();
  #isConnected = true;
  #graceUntilMs = 0;
  #tickedAtMs: number | undefined;

  constructor(options: { readonly policy: DispatchPolicy; readonly version: string }) {
    this.#policy = options.policy;
    this.#version = options.version;
    this.presence = new PresenceTable(options.policy, options.version);
  }

  get openTasks(): number {
    return this.#tasks.size;
  }

  open(task: DispatchTask, nowMs: number): readonly GatewayEffect[] {
    if (this.#tasks.size >= this.#policy.tasksMax || this.#tasks.has(task.id)) {
      return [{ type: 'end', taskId: task.id, outcome: { type: 'unavailable', reason: 'full' } }];
    }
    const open: OpenTask = {
      task,
      waitsSinceMs: nowMs,
      remainingMs: task.waitMs + task.deadlineMs,
      tickedAtMs: nowMs,
      attempts: 0,
      losses: 0,
      suspectLosses: 0,
      refusal: 'none',
      excluded: new Set(),
      retryAtMs: 0,
      lastWorkerId: task.lastWorkerId,
      running: undefined,
    };
    this.#tasks.set(task.id, open);
    return this.#dispatch(open, nowMs);
  }

  /** The caller has read one event. */
  consumed(taskId: string, attempt: number, nowMs: number): readonly GatewayEffect[] {
    const running = this.#tasks.get(taskId)?.running;
    if (running === undefined || running.number !== attempt) return [];
    running.consumed += 1;
    const limit = running.consumed + this.#policy.window;
    // Grants are sent for half a window at a time.
    if (limit - running.limit < this.#policy.window / 2) return [];
    if (running.received >= running.limit) running.progressAtMs = nowMs;
    running.limit = limit;
    return [this.#grant(taskId, running, nowMs, false)];
  }

  /** Sends the input that an `input-wanted` asked for. Input of an earlier attempt is ignored. */
  input(
    taskId: string,
    attempt: number,
    input: { readonly payload: Uint8Array; readonly isLast: boolean },
  ): readonly GatewayEffect[] {
    const running = this.#tasks.get(taskId)?.running;
    if (running === undefined || running.number !== attempt || running.hasLastInput) return [];
    running.inputSent += 1;
    running.hasLastInput = input.isLast;
    running.unacknowledged.set(running.inputSent, input);
    const { workerId } = running;
    const message = { type: 'input', task: taskId, attempt, seq: running.inputSent, ...input } as const;
    return [{ type: 'send', workerId, message }, ...this.#wantInput(taskId, running)];
  }

  cancel(taskId: string): readonly GatewayEffect[] {
    const open = this.#tasks.get(taskId);
    return open === undefined ? [] : this.#end(open, { type: 'cancelled' });
  }

  receive(workerId: string, message: WorkerMessage, nowMs: number): readonly GatewayEffect[] {
    this.presence.touch(workerId, nowMs);
    const open = this.#tasks.get(message.task);
    if (open?.running === undefined || !this.isCurrent(open.running, workerId, message)) {
      return fence(workerId, message);
    }
    const { running } = open;
    running.heardAtMs = nowMs;
    switch (message.type) {
      case 'refused':
        return this.#refused(open, running, message.reason, nowMs);
      case 'unknown':
        return this.#lost(open, nowMs);
      case 'input-received':
        return this.#inputReceived(running, message, nowMs);
      case 'event':
      case 'end':
        return this.#arrived(open, running, message, nowMs);
    }
  }

  heartbeat(workerId: string, heartbeat: Heartbeat, nowMs: number): readonly GatewayEffect[] {
    const change = this.presence.receive(workerId, heartbeat, nowMs);
    const effects: GatewayEffect[] = [];
    if (change !== 'known') effects.push({ type: 'presence', workerId, change });
    if (change === 'restarted' || change === 'incompatible')
      effects.push(...this.#loseTasks(workerId, nowMs));
    if (change === 'joined' || change === 'restarted') effects.push(...this.#dispatchWaiting(nowMs));
    return effects;
  }

  /** The transport reports that nothing receives the messages to this worker. */
  noResponder(workerId: string, nowMs: number): readonly GatewayEffect[] {
    if (nowMs < this.#graceUntilMs) return [];
    return this.#loseWorker(workerId, nowMs);
  }

  /** The connection of this gateway was lost: silence says nothing about workers. */
  disconnected(): void {
    this.#isConnected = false;
  }

  reconnected(nowMs: number): readonly GatewayEffect[] {
    this.#isConnected = true;
    this.#graceUntilMs = nowMs + this.#policy.reconnectGraceMs;
    this.presence.touchAll(this.#graceUntilMs);
    const effects: GatewayEffect[] = [];
    for (const { task, running } of this.#tasks.values()) {
      if (running === undefined) continue;
      running.heardAtMs = nowMs;
      running.progressAtMs = nowMs;
      effects.push(...this.#repeat(task.id, running, nowMs));
    }
    return effects;
  }

  /** To be called at least every `keepAliveMs` / 2. */
  tick(nowMs: number): readonly GatewayEffect[] {
    const effects: GatewayEffect[] = [];
    // After a suspension of this process the heartbeats of the meantime are not read yet.
    const wasSuspended = nowMs - (this.#tickedAtMs ?? nowMs) > this.#policy.workerLostMs / 2;
    this.#tickedAtMs = nowMs;
    if (wasSuspended) this.presence.touchAll(nowMs);
    if (this.#isConnected) {
      for (const workerId of this.presence.overdue(nowMs)) effects.push(...this.#loseWorker(workerId, nowMs));
    }
    for (const open of [...this.#tasks.values()]) effects.push(...this.#tickTask(open, nowMs));
    return effects;
  }

  /** Whether a message belongs to the running attempt. All others are fenced off. */
  protected isCurrent(running: RunningAttempt, workerId: string, message: WorkerMessage): boolean {
    return running.workerId === workerId && running.number === message.attempt;
  }

  /** Whether an event was delivered before. */
  protected isDuplicate(running: RunningAttempt, seq: number): boolean {
    return seq <= running.received;
  }

  #tickTask(open: OpenTask, nowMs: number): readonly GatewayEffect[] {
    const { task, running } = open;
    const hasCredit = running === undefined || running.received < running.limit;
    if (hasCredit) open.remainingMs -= nowMs - open.tickedAtMs;
    open.tickedAtMs = nowMs;
    if (open.remainingMs <= 0) return this.#end(open, { type: 'deadline' });
    if (running === undefined) {
      if (nowMs - open.waitsSinceMs >= task.waitMs) {
        return this.#end(open, { type: 'unavailable', reason: open.refusal });
      }
      return nowMs >= open.retryAtMs ? this.#dispatch(open, nowMs) : [];
    }
    if (hasCredit && nowMs - running.progressAtMs > this.#policy.overdueMs) {
      return [...this.#cancelRunning(open), ...this.#lost(open, nowMs)];
    }
    const isSilent =
      nowMs - Math.max(running.grantedAtMs, running.heardAtMs) >= this.#policy.keepAliveMs ||
      nowMs - running.grantedAtMs >= 2 * this.#policy.keepAliveMs;
    return isSilent ? this.#repeat(task.id, running, nowMs) : [];
  }

  /** Repeats what may have been lost: the grant, and unacknowledged input. */
  #repeat(taskId: string, running: RunningAttempt, nowMs: number): readonly GatewayEffect[] {
    const effects: GatewayEffect[] = [this.#grant(taskId, running, nowMs, true)];
    for (const [seq, input] of running.unacknowledged) {
      const message = { type: 'input', task: taskId, attempt: running.number, seq, ...input } as const;
      effects.push({ type: 'send', workerId: running.workerId, message });
    }
    return effects;
  }

  #grant(taskId: string, running: RunningAttempt, nowMs: number, resend: boolean): GatewayEffect {
    running.grantedAtMs = nowMs;
    const { number: attempt, workerId, received, limit, inputSent } = running;
    const message = { type: 'grant', task: taskId, attempt, received, limit, resend, inputSent } as const;
    return { type: 'send', workerId, message };
  }

  #dispatch(open: OpenTask, nowMs: number): readonly GatewayEffect[] {
    const { task } = open;
    const { kind, key, id } = task;
    const { lastWorkerId, excluded } = open;
    const worker = chooseWorker(this.presence.workers(), { kind, key, lastWorkerId, excluded });
    if (worker === undefined) {
      // Workers that refused may have a free slot later.
      excluded.clear();
      open.retryAtMs = nowMs + this.#policy.retryMs;
      return [];
    }
    const { window } = this.#policy;
    open.attempts += 1;
    const running: RunningAttempt = {
      number: open.attempts,
      workerId: worker.id,
      received: 0,
      consumed: 0,
      limit: window,
      heardAtMs: nowMs,
      progressAtMs: nowMs,
      grantedAtMs: nowMs,
      hasGap: false,
      inputSent: 0,
      inputReceived: 0,
      inputTaken: 0,
      inputWanted: 0,
      hasLastInput: !task.hasInput,
      unacknowledged: new Map(),
    };
    open.running = running;
    open.lastWorkerId = worker.id;
    this.presence.count(worker.id, kind, 1);
    const message: GatewayMessage = {
      type: 'start',
      task: id,
      attempt: running.number,
      kind,
      payload: task.payload,
      hasInput: task.hasInput,
      limit: running.limit,
      deadlineMs: Math.max(1, Math.ceil(open.remainingMs)),
      version: this.#version,
      boot: worker.heartbeat.boot,
    };
    return [
      { type: 'attempt', taskId: id, attempt: running.number, workerId: worker.id },
      { type: 'send', workerId: worker.id, message },
      ...this.#wantInput(id, running),
    ];
  }

  #wantInput(taskId: string, running: RunningAttempt): readonly GatewayEffect[] {
    const { hasLastInput, inputWanted, inputSent, inputTaken, number: attempt } = running;
    if (hasLastInput || inputWanted > inputSent || inputSent - inputTaken >= this.#policy.inputWindow)
      return [];
    running.inputWanted = inputSent + 1;
    return [{ type: 'input-wanted', taskId, attempt, seq: running.inputWanted }];
  }

  #inputReceived(
    running: RunningAttempt,
    { task, received, taken }: Extract<WorkerMessage, { readonly type: 'input-received' }>,
    nowMs: number,
  ): readonly GatewayEffect[] {
    if (received > running.inputSent || taken > received) return [];
    if (received > running.inputReceived || taken > running.inputTaken) running.progressAtMs = nowMs;
    for (let seq = running.inputReceived + 1; seq <= received; seq++) running.unacknowledged.delete(seq);
    running.inputReceived = Math.max(running.inputReceived, received);
    running.inputTaken = Math.max(running.inputTaken, taken);
    return this.#wantInput(task, running);
  }

  #arrived(
    open: OpenTask,
    running: RunningAttempt,
    message: Extract<WorkerMessage, { readonly seq: number }>,
    nowMs: number,
  ): readonly GatewayEffect[] {
    const { task } = open;
    if (this.isDuplicate(running, message.seq)) return [];
    if (message.seq > running.received + 1) {
      // Once per gap; the keep-alive repeats the request if it is lost.
      if (running.hasGap) return [];
      running.hasGap = true;
      return [this.#grant(task.id, running, nowMs, true)];
    }
    running.hasGap = false;
    running.received = message.seq;
    running.progressAtMs = nowMs;
    if (message.type === 'event') {
      return [{ type: 'event', taskId: task.id, attempt: running.number, payload: message.payload }];
    }
    const { outcome } = message;
    // Acknowledges the end, so that the worker forgets the task.
    const acknowledge = this.#grant(task.id, running, nowMs, false);
    if (outcome.type !== 'lost') return [acknowledge, ...this.#finish(open, outcome)];
    if (outcome.isSuspect) open.suspectLosses += 1;
    if (open.suspectLosses >= this.#policy.suspectLossesMax) {
      return [acknowledge, ...this.#finish(open, outcome)];
    }
    return [acknowledge, ...this.#lost(open, nowMs)];
  }

  #refused(
    open: OpenTask,
    running: RunningAttempt,
    reason: RefusalReason,
    nowMs: number,
  ): readonly GatewayEffect[] {
    open.refusal = reason;
    this.#stopRunning(open);
    open.excluded.add(running.workerId);
    return this.#dispatch(open, nowMs);
  }

  /** The running attempt is over without an end. */
  #lost(open: OpenTask, nowMs: number): readonly GatewayEffect[] {
    const { running } = open;
    this.#stopRunning(open);
    open.losses += 1;
    if (open.losses >= this.#policy.lossesMax) {
      return this.#finish(open, { type: 'lost', isSuspect: false });
    }
    open.waitsSinceMs = nowMs;
    open.excluded.clear();
    // Another worker if there is one; otherwise the same one, which may have lost only its process.
    if (running !== undefined) open.excluded.add(running.workerId);
    const effects = this.#dispatch(open, nowMs);
    return open.running === undefined ? [...effects, ...this.#dispatch(open, nowMs)] : effects;
  }

  #loseWorker(workerId: string, nowMs: number): readonly GatewayEffect[] {
    if (this.presence.get(workerId) === undefined) return [];
    this.presence.remove(workerId);
    return [{ type: 'presence', workerId, change: 'lost' }, ...this.#loseTasks(workerId, nowMs)];
  }

  #loseTasks(workerId: string, nowMs: number): readonly GatewayEffect[] {
    const effects: GatewayEffect[] = [];
    for (const open of [...this.#tasks.values()]) {
      if (open.running?.workerId !== workerId) continue;
      effects.push(...this.#cancelRunning(open), ...this.#lost(open, nowMs));
    }
    return effects;
  }

  #dispatchWaiting(nowMs: number): readonly GatewayEffect[] {
    const waiting = [...this.#tasks.values()].filter(({ running }) => running === undefined);
    return waiting.flatMap((open) => this.#dispatch(open, nowMs));
  }

  #cancelRunning({ task, running }: OpenTask): readonly GatewayEffect[] {
    if (running === undefined) return [];
    const message = { type: 'cancel', task: task.id, attempt: running.number } as const;
    return [{ type: 'send', workerId: running.workerId, message }];
  }

  #stopRunning(open: OpenTask): void {
    if (open.running === undefined) return;
    this.presence.count(open.running.workerId, open.task.kind, -1);
    open.running = undefined;
  }

  #end(open: OpenTask, outcome: DispatchOutcome): readonly GatewayEffect[] {
    return [...this.#cancelRunning(open), ...this.#finish(open, outcome)];
  }

  #finish(open: OpenTask, outcome: DispatchOutcome): readonly GatewayEffect[] {
    this.#stopRunning(open);
    this.#tasks.delete(open.task.id);
    return [{ type: 'end', taskId: open.task.id, outcome }];
  }
}

/** Stops an attempt that is not current. Messages of an ended task need the cancel too: it acknowledges their end. */
function fence(workerId: string, message: WorkerMessage): readonly GatewayEffect[] {
  if (message.type === 'unknown' || message.type === 'refused') return [];
  const { task, attempt } = message;
  return [{ type: 'send', workerId, message: { type: 'cancel', task, attempt } }];
}
