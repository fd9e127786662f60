import { createAttempt, type HedgedAttempt, hasCredit, type RunningAttempt } from './attempt.ts';
import { AttemptFlow } from './attempt-flow.ts';
import { chooseWorker } from './choose-worker.ts';
import type { DispatchPolicy } from './dispatch-policy.ts';
import {
  type DispatchOutcome,
  type DispatchTask,
  type GatewayEffect,
  type OpenTask,
  openTask,
} from './dispatch-task.ts';
import type { GatewayMessage, Heartbeat, RefusalReason, TaskOutcome, WorkerMessage } from './messages.ts';
import { type KnownWorker, PresenceTable } from './presence-table.ts';

/**
 * The gateway's side of dispatch: a state machine without I/O, clock or randomness. It chooses workers, delivers the
 * events of a task in order and once, grants credit as the caller reads, and dispatches a task again when its worker is
 * lost. A hedged task runs on a second worker already while its worker is only suspected; the attempt that is ahead
 * continues. Every method returns the effects that the caller carries out, in order.
 */
export class GatewayDispatcher {
  readonly presence: PresenceTable;
  readonly #policy: DispatchPolicy;
  readonly #version: string;
  readonly #flow: AttemptFlow;
  readonly #tasks = new Map<string, OpenTask>();
  #isConnected = true;
  #graceUntilMs = 0;
  #tickedAtMs: number | undefined;
  /** The last tick that came so late that heartbeats may have waited as long. */
  #lateTickAtMs = Number.NEGATIVE_INFINITY;
  #suspected: ReadonlySet<string> = new Set();

  constructor(options: { readonly policy: DispatchPolicy; readonly version: string }) {
    this.#policy = options.policy;
    this.#version = options.version;
    this.#flow = new AttemptFlow(options.policy, (attempt, seq) => this.isDuplicate(attempt, seq));
    this.presence = new PresenceTable(options.policy, options.version);
  }

  get openTasks(): number {
    return this.#tasks.size;
  }

  open(task: DispatchTask, nowMs: number): readonly GatewayEffect[] {
    if (this.#tasks.size >= this.#policy.tasksMax || this.#tasks.has(task.id)) {
      return [{ type: 'end', taskId: task.id, outcome: { type: 'unavailable', reason: 'full' } }];
    }
    const open = openTask(task, nowMs);
    this.#tasks.set(task.id, open);
    return this.#dispatch(open, nowMs);
  }

  /** Counts an event that the caller has read. */
  recordConsumed(taskId: string, attempt: number, nowMs: number): readonly GatewayEffect[] {
    const running = this.#tasks.get(taskId)?.running;
    if (running === undefined || running.number !== attempt) return [];
    running.consumed += 1;
    return this.#flow.grantMore(taskId, running, running.consumed, nowMs);
  }

  /** Sends the input that an `input-wanted` asked for. Input of an earlier attempt is ignored. */
  sendInput(
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
    return [{ type: 'send', workerId, message }, ...this.#flow.wantInput(taskId, running)];
  }

  cancel(taskId: string): readonly GatewayEffect[] {
    const open = this.#tasks.get(taskId);
    return open === undefined ? [] : this.#end(open, { type: 'cancelled' });
  }

  receive(workerId: string, message: WorkerMessage, nowMs: number): readonly GatewayEffect[] {
    this.presence.touch(workerId, nowMs);
    const open = this.#tasks.get(message.task);
    const { running, hedge } = open ?? {};
    if (open !== undefined && hedge !== undefined && isOf(hedge.attempt, workerId, message)) {
      hedge.attempt.heardAtMs = nowMs;
      return this.#receiveFromHedge(open, hedge, message, nowMs);
    }
    if (open === undefined || running === undefined || !this.isCurrent(running, workerId, message)) {
      return fence(workerId, message);
    }
    running.heardAtMs = nowMs;
    switch (message.type) {
      case 'refused':
        return this.#handleRefusal(open, running, message.reason, nowMs);
      case 'unknown':
        return this.#loseRunning(open, nowMs);
      case 'input-received':
        return this.#flow.acknowledgeInput(running, message, nowMs);
      case 'event':
      case 'end':
        return this.#receiveInOrder(open, running, message, nowMs);
    }
  }

  receiveHeartbeat(workerId: string, heartbeat: Heartbeat, nowMs: number): readonly GatewayEffect[] {
    const change = this.presence.receive(workerId, heartbeat, nowMs);
    const effects: GatewayEffect[] = [];
    if (change !== 'known') effects.push({ type: 'presence', workerId, change });
    if (change === 'restarted' || change === 'incompatible')
      effects.push(...this.#loseTasks(workerId, nowMs));
    if (change === 'joined' || change === 'restarted') effects.push(...this.#dispatchWaiting(nowMs));
    return effects;
  }

  /** The transport reports that nothing receives the messages to this worker. */
  handleNoResponder(workerId: string, nowMs: number): readonly GatewayEffect[] {
    if (nowMs < this.#graceUntilMs) return [];
    return this.#loseWorker(workerId, nowMs);
  }

  /** The connection of this gateway was lost: silence says nothing about workers. */
  handleDisconnect(): void {
    this.#isConnected = false;
  }

  handleReconnect(nowMs: number): readonly GatewayEffect[] {
    this.#isConnected = true;
    this.#graceUntilMs = nowMs + this.#policy.reconnectGraceMs;
    this.presence.touchAll(this.#graceUntilMs);
    const effects: GatewayEffect[] = [];
    for (const open of this.#tasks.values()) {
      const { task, running } = open;
      effects.push(...this.#cancelHedge(open));
      if (running === undefined) continue;
      running.heardAtMs = nowMs;
      running.progressAtMs = nowMs;
      effects.push(...this.#flow.repeat(task.id, running, nowMs));
    }
    return effects;
  }

  /** To be called at least every `keepAliveMs` / 2, and for suspicions in time, several times per `suspectMs`. */
  tick(nowMs: number): readonly GatewayEffect[] {
    const effects: GatewayEffect[] = [];
    const { workerLostMs, suspectMs } = this.#policy;
    // After a suspension of this process the heartbeats of the meantime are not read yet.
    const sinceTickMs = nowMs - (this.#tickedAtMs ?? nowMs);
    this.#tickedAtMs = nowMs;
    if (sinceTickMs > workerLostMs / 2) this.presence.touchAll(nowMs);
    if (sinceTickMs > suspectMs / 2) this.#lateTickAtMs = nowMs;
    this.#suspected = this.#isConnected ? this.presence.suspected(nowMs, this.#lateTickAtMs) : new Set();
    if (this.#isConnected) {
      for (const workerId of this.presence.overdue(nowMs)) effects.push(...this.#loseWorker(workerId, nowMs));
    }
    for (const open of [...this.#tasks.values()]) effects.push(...this.#tickTask(open, nowMs));
    return effects;
  }

  /** Whether a message belongs to the running attempt. All others are fenced off. */
  protected isCurrent(running: RunningAttempt, workerId: string, message: WorkerMessage): boolean {
    return isOf(running, workerId, message);
  }

  /** Whether an event was delivered before. */
  protected isDuplicate(running: RunningAttempt, seq: number): boolean {
    return seq <= running.received;
  }

  #tickTask(open: OpenTask, nowMs: number): readonly GatewayEffect[] {
    const { task, running } = open;
    const mayProgress = running === undefined || hasCredit(running);
    if (mayProgress) open.remainingMs -= nowMs - open.tickedAtMs;
    open.tickedAtMs = nowMs;
    if (open.remainingMs <= 0) return this.#end(open, { type: 'deadline' });
    if (running === undefined) {
      if (nowMs - open.waitsSinceMs >= task.waitMs) {
        return this.#end(open, { type: 'unavailable', reason: open.refusal });
      }
      return nowMs >= open.retryAtMs ? this.#dispatch(open, nowMs) : [];
    }
    if (mayProgress && nowMs - running.progressAtMs > this.#policy.overdueMs) {
      return [...this.#cancelRunning(open), ...this.#loseRunning(open, nowMs)];
    }
    return [...this.#flow.keepAlive(task.id, running, nowMs), ...this.#tickHedge(open, running, nowMs)];
  }

  /** Starts a second attempt while the worker is suspected, and cancels it when that worker sends again. */
  #tickHedge(open: OpenTask, running: RunningAttempt, nowMs: number): readonly GatewayEffect[] {
    const { task, hedge } = open;
    if (!this.#suspected.has(running.workerId)) return this.#cancelHedge(open);
    if (hedge !== undefined) return this.#flow.keepAlive(task.id, hedge.attempt, nowMs);
    if (task.isHedged !== true || task.hasInput || !hasCredit(running)) return [];
    const worker = this.#choose(open, [running.workerId, ...this.#suspected]);
    if (worker === undefined) return [];
    const { attempt, message } = this.#begin(open, worker, nowMs);
    open.hedge = { attempt, held: [] };
    return [{ type: 'send', workerId: worker.id, message }];
  }

  #receiveFromHedge(
    open: OpenTask,
    hedge: HedgedAttempt,
    message: WorkerMessage,
    nowMs: number,
  ): readonly GatewayEffect[] {
    const { attempt } = hedge;
    if (message.type === 'input-received') return [];
    if (message.type === 'refused' || message.type === 'unknown') {
      open.excluded.add(attempt.workerId);
      this.#stopHedge(open);
      return [];
    }
    const outOfOrder = this.#flow.accept(open.task.id, attempt, message.seq, nowMs);
    if (outOfOrder !== undefined) return outOfOrder;
    if (message.type === 'event') {
      hedge.held.push(message.payload);
      // It replaces the running attempt when it has more than that one has delivered.
      if (attempt.received > (open.running?.received ?? 0)) return this.#promoteHedge(open, hedge);
      return this.#flow.grantMore(open.task.id, attempt, attempt.received, nowMs);
    }
    const acknowledge = this.#flow.grant(open.task.id, attempt, nowMs, false);
    if (message.outcome.type === 'done') {
      return [acknowledge, ...this.#promoteHedge(open, hedge), ...this.#finish(open, message.outcome)];
    }
    return [acknowledge, ...this.#loseHedge(open, message.outcome)];
  }

  /** The hedged attempt becomes the running one: its events so far go to the caller. */
  #promoteHedge(open: OpenTask, { attempt, held }: HedgedAttempt): readonly GatewayEffect[] {
    const taskId = open.task.id;
    const effects = [...this.#cancelRunning(open)];
    if (open.running !== undefined) open.losses += 1;
    this.#stopRunning(open);
    open.running = attempt;
    open.hedge = undefined;
    open.lastWorkerId = attempt.workerId;
    const { number, workerId } = attempt;
    effects.push({ type: 'attempt', taskId, attempt: number, workerId });
    for (const payload of held) effects.push({ type: 'event', taskId, attempt: number, payload });
    return effects;
  }

  /** The worker of the hedged attempt is lost too, or its engine failed: the next tick tries another one. */
  #loseHedge(
    open: OpenTask,
    outcome: Exclude<TaskOutcome, { readonly type: 'done' }>,
  ): readonly GatewayEffect[] {
    const { lossesMax, suspectLossesMax } = this.#policy;
    if (open.hedge !== undefined) open.excluded.add(open.hedge.attempt.workerId);
    this.#stopHedge(open);
    open.losses += 1;
    if (outcome.type === 'lost' && outcome.isSuspect) open.suspectLosses += 1;
    const isOverLimit = open.losses >= lossesMax || open.suspectLosses >= suspectLossesMax;
    return isOverLimit ? this.#end(open, outcome) : [];
  }

  #cancelHedge(open: OpenTask): readonly GatewayEffect[] {
    const { task, hedge } = open;
    if (hedge === undefined) return [];
    this.#stopHedge(open);
    return [cancelOf(task.id, hedge.attempt)];
  }

  #stopHedge(open: OpenTask): void {
    if (open.hedge === undefined) return;
    this.presence.count(open.hedge.attempt.workerId, open.task.kind, -1);
    open.hedge = undefined;
  }

  #choose(open: OpenTask, excluded: Iterable<string>): KnownWorker | undefined {
    const { kind, key } = open.task;
    const { lastWorkerId } = open;
    const all = new Set([...open.excluded, ...excluded]);
    return chooseWorker(this.presence.workers(), { kind, key, lastWorkerId, excluded: all });
  }

  #dispatch(open: OpenTask, nowMs: number): readonly GatewayEffect[] {
    const { task, excluded } = open;
    const worker = this.#choose(open, this.#suspected) ?? this.#choose(open, []);
    if (worker === undefined) {
      // Workers that refused may have a free slot later.
      excluded.clear();
      open.retryAtMs = nowMs + this.#policy.retryMs;
      return [];
    }
    const { attempt: running, message } = this.#begin(open, worker, nowMs);
    open.running = running;
    open.lastWorkerId = worker.id;
    return [
      { type: 'attempt', taskId: task.id, attempt: running.number, workerId: worker.id },
      { type: 'send', workerId: worker.id, message },
      ...this.#flow.wantInput(task.id, running),
    ];
  }

  #begin(open: OpenTask, worker: KnownWorker, nowMs: number) {
    const { kind, id, payload, hasInput } = open.task;
    const limit = this.#policy.window;
    open.attempts += 1;
    const attempt = createAttempt({ number: open.attempts, workerId: worker.id, limit, hasInput, nowMs });
    this.presence.count(worker.id, kind, 1);
    const message: GatewayMessage = {
      type: 'start',
      task: id,
      attempt: attempt.number,
      kind,
      payload,
      hasInput,
      limit,
      deadlineMs: Math.max(1, Math.ceil(open.remainingMs)),
      version: this.#version,
      boot: worker.heartbeat.boot,
    };
    return { attempt, message };
  }

  #receiveInOrder(
    open: OpenTask,
    running: RunningAttempt,
    message: Extract<WorkerMessage, { readonly seq: number }>,
    nowMs: number,
  ): readonly GatewayEffect[] {
    const { task } = open;
    const outOfOrder = this.#flow.accept(task.id, running, message.seq, nowMs);
    if (outOfOrder !== undefined) return outOfOrder;
    if (message.type === 'event') {
      return [{ type: 'event', taskId: task.id, attempt: running.number, payload: message.payload }];
    }
    const { outcome } = message;
    // Acknowledges the end, so that the worker deletes the task.
    const acknowledge = this.#flow.grant(task.id, running, nowMs, false);
    if (outcome.type !== 'lost') return [acknowledge, ...this.#finish(open, outcome)];
    if (outcome.isSuspect) open.suspectLosses += 1;
    if (open.suspectLosses >= this.#policy.suspectLossesMax) {
      return [acknowledge, ...this.#finish(open, outcome)];
    }
    return [acknowledge, ...this.#loseRunning(open, nowMs)];
  }

  #handleRefusal(
    open: OpenTask,
    running: RunningAttempt,
    reason: RefusalReason,
    nowMs: number,
  ): readonly GatewayEffect[] {
    open.refusal = reason;
    this.#stopRunning(open);
    open.excluded.add(running.workerId);
    return [...this.#cancelHedge(open), ...this.#dispatch(open, nowMs)];
  }

  /** Ends the running attempt, whose worker or engine is lost, and dispatches the task again. */
  #loseRunning(open: OpenTask, nowMs: number): readonly GatewayEffect[] {
    const { running } = open;
    this.#stopRunning(open);
    open.losses += 1;
    if (open.losses >= this.#policy.lossesMax) {
      return this.#finish(open, { type: 'lost', isSuspect: false });
    }
    if (open.hedge !== undefined) return this.#promoteHedge(open, open.hedge);
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
      if (open.hedge?.attempt.workerId === workerId)
        effects.push(...this.#loseHedge(open, { type: 'lost', isSuspect: false }));
      if (open.running?.workerId !== workerId) continue;
      effects.push(...this.#cancelRunning(open), ...this.#loseRunning(open, nowMs));
    }
    return effects;
  }

  #dispatchWaiting(nowMs: number): readonly GatewayEffect[] {
    const waiting = [...this.#tasks.values()].filter(({ running }) => running === undefined);
    return waiting.flatMap((open) => this.#dispatch(open, nowMs));
  }

  #cancelRunning({ task, running }: OpenTask): readonly GatewayEffect[] {
    return running === undefined ? [] : [cancelOf(task.id, running)];
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
    const effects = this.#cancelHedge(open);
    this.#stopRunning(open);
    this.#tasks.delete(open.task.id);
    return [...effects, { type: 'end', taskId: open.task.id, outcome }];
  }
}

function isOf({ workerId, number }: RunningAttempt, sender: string, { attempt }: WorkerMessage): boolean {
  return workerId === sender && number === attempt;
}

function cancelOf(task: string, { workerId, number }: RunningAttempt): GatewayEffect {
  return { type: 'send', workerId, message: { type: 'cancel', task, attempt: number } };
}

/** Stops an attempt that is not current. Messages of an ended task need the cancel too: it acknowledges their end. */
function fence(workerId: string, message: WorkerMessage): readonly GatewayEffect[] {
  if (message.type === 'unknown' || message.type === 'refused') return [];
  const { task, attempt } = message;
  return [{ type: 'send', workerId, message: { type: 'cancel', task, attempt } }];
}
