import { randomUUID } from 'node:crypto';
import { AsyncQueue } from '../../../concurrency/async-queue.ts';
import type { DispatchPolicy } from '../protocol/dispatch-policy.ts';
import { DEFAULT_DISPATCH_POLICY } from '../protocol/dispatch-policy.ts';
import type { DispatchOutcome, GatewayEffect } from '../protocol/dispatch-task.ts';
import { GatewayDispatcher } from '../protocol/gateway-dispatcher.ts';
import type { WorkKind } from '../protocol/messages.ts';
import type { KnownWorker } from '../protocol/presence-table.ts';
import type { BusMessage, MessageBus } from '../transport/message-bus.ts';
import { decodeHeartbeat, decodeWorkerMessage, encodeMessage } from '../transport/message-codec.ts';
import { Subjects, senderOf } from '../transport/subjects.ts';
import { divideJob } from './framed-payload.ts';

/** An event of a remote task. The events of a higher attempt start again from the beginning. */
export interface RemoteEvent {
  readonly attempt: number;
  readonly workerId: string;
  readonly payload: Uint8Array;
}

export interface RemoteTask {
  readonly kind: WorkKind;
  /** Tasks with an equal key prefer the same worker. */
  readonly key: string;
  readonly lastWorkerId?: string | undefined;
  readonly job: Uint8Array;
  /** Whether a second worker gets the task as soon as its worker is suspected. Ignored for a task with input. */
  readonly isHedged?: boolean | undefined;
  /** Opens the input for an attempt: each attempt needs it from the beginning, or from where it resumes. */
  readonly input?: ((attempt: number) => AsyncIterable<Uint8Array>) | undefined;
  readonly deadlineMs: number;
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Called when no worker runs the task any more, even if its events are not read yet. */
  readonly onFinished?: (() => void) | undefined;
}

/** The end of a remote task that did not succeed. */
export class RemoteTaskError extends Error {
  override readonly name = 'RemoteTaskError';
  readonly outcome: Exclude<DispatchOutcome, { readonly type: 'done' }>;

  constructor(outcome: Exclude<DispatchOutcome, { readonly type: 'done' }>) {
    super(`The remote task ended: ${outcome.type}.`);
    this.outcome = outcome;
  }
}

/** A suspicion comes late by at most this part of `suspectMs`. */
const TICKS_PER_SUSPICION = 7;

export type DispatchEvent = (event: string, facts: Readonly<Record<string, unknown>>) => void;

interface OpenRemoteTask {
  readonly task: RemoteTask;
  readonly rest: readonly Uint8Array[];
  readonly events: AsyncQueue<RemoteEvent>;
  workerId: string;
  attempt: number;
  inputs: AsyncIterator<Uint8Array> | undefined;
}

/** Runs tasks on remote workers. */
export class DispatchClient {
  readonly id: string;
  readonly #bus: MessageBus;
  readonly #subjects = new Subjects();
  readonly #dispatcher: GatewayDispatcher;
  readonly #onEvent: DispatchEvent;
  readonly #tasks = new Map<string, OpenRemoteTask>();
  readonly #presenceListeners = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #nextTask = 1;

  constructor(options: {
    readonly bus: MessageBus;
    readonly version: string;
    readonly onEvent: DispatchEvent;
    readonly policy?: Partial<DispatchPolicy> | undefined;
    readonly id?: string | undefined;
  }) {
    const policy = { ...DEFAULT_DISPATCH_POLICY, ...options.policy };
    this.id = options.id ?? randomUUID();
    this.#bus = options.bus;
    this.#onEvent = options.onEvent;
    this.#dispatcher = new GatewayDispatcher({ policy, version: options.version });
    this.#bus.subscribe(this.#subjects.presence('*'), (message) => this.#receiveHeartbeat(message));
    this.#bus.subscribe(this.#subjects.toGateway(this.id, '*'), (message) => this.#receive(message));
    this.#bus.onConnection((isConnected) => {
      if (isConnected) this.#apply(this.#dispatcher.handleReconnect(Date.now()));
      else this.#dispatcher.handleDisconnect();
      options.onEvent(isConnected ? 'connected to NATS again' : 'the connection to NATS was lost', {});
    });
    const tick = () => this.#apply(this.#dispatcher.tick(Date.now()));
    // Immediates run after sockets were read: a process that was busy reads heartbeats before it decides on losses.
    const intervalMs = Math.min(policy.keepAliveMs / 2, policy.suspectMs / TICKS_PER_SUSPICION);
    this.#timer = setInterval(() => setImmediate(tick), Math.floor(intervalMs));
  }

  get workers(): readonly KnownWorker[] {
    return this.#dispatcher.presence.workers();
  }

  get openTasks(): number {
    return this.#dispatcher.openTasks;
  }

  /** Calls the listener when a worker joins or is lost. Returns a function that removes it. */
  onPresence(listener: () => void): () => void {
    this.#presenceListeners.add(listener);
    return () => this.#presenceListeners.delete(listener);
  }

  /** The events of a task. Leaving the loop or aborting the signal cancels it. Throws a `RemoteTaskError`. */
  async *run(task: RemoteTask): AsyncGenerator<RemoteEvent> {
    const { signal } = task;
    signal.throwIfAborted();
    const id = `${this.#nextTask++}`;
    const cancel = () => this.#apply(this.#dispatcher.cancel(id));
    const events = new AsyncQueue<RemoteEvent>(cancel);
    const [payload, ...rest] = divideJob(task.job);
    this.#tasks.set(id, { task, rest, events, workerId: '', attempt: 0, inputs: undefined });
    signal.addEventListener('abort', cancel);
    const { kind, key, lastWorkerId, isHedged, deadlineMs, waitMs } = task;
    const hasInput = rest.length > 0 || task.input !== undefined;
    const open = { id, kind, key, lastWorkerId, payload, hasInput, isHedged, deadlineMs, waitMs };
    this.#apply(this.#dispatcher.open(open, Date.now()));
    try {
      for await (const event of events) {
        yield event;
        this.#apply(this.#dispatcher.recordConsumed(id, event.attempt, Date.now()));
      }
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const id of [...this.#tasks.keys()]) this.#apply(this.#dispatcher.cancel(id));
    await this.#bus.flush().catch(() => {});
  }

  #receiveHeartbeat({ subject, payload, isNoResponder }: BusMessage): void {
    const workerId = senderOf(subject);
    const heartbeat = decodeHeartbeat(payload);
    if (workerId === undefined || heartbeat === undefined || isNoResponder) return;
    this.#apply(this.#dispatcher.receiveHeartbeat(workerId, heartbeat, Date.now()));
  }

  #receive({ subject, payload, isNoResponder }: BusMessage): void {
    const workerId = senderOf(subject);
    if (workerId === undefined) return;
    if (isNoResponder) {
      this.#apply(this.#dispatcher.handleNoResponder(workerId, Date.now()));
      return;
    }
    const message = decodeWorkerMessage(payload);
    if (message !== undefined) this.#apply(this.#dispatcher.receive(workerId, message, Date.now()));
  }

  #apply(effects: readonly GatewayEffect[]): void {
    for (const effect of effects) this.#applyOne(effect);
  }

  #applyOne(effect: GatewayEffect): void {
    if (effect.type === 'send') {
      const { workerId, message } = effect;
      this.#bus.publish(this.#subjects.toWorker(workerId, this.id), encodeMessage(message), {
        replyTo: this.#subjects.toGateway(this.id, workerId),
      });
      return;
    }
    if (effect.type === 'presence') {
      this.#reportPresence(effect);
      return;
    }
    const open = this.#tasks.get(effect.taskId);
    if (open === undefined) return;
    switch (effect.type) {
      case 'attempt':
        if (effect.attempt > 1) {
          const { kind } = open.task;
          this.#onEvent('a task was dispatched again', {
            kind,
            attempt: effect.attempt,
            from: open.workerId,
            to: effect.workerId,
          });
        }
        open.attempt = effect.attempt;
        open.workerId = effect.workerId;
        closeInputs(open);
        open.inputs = inputsOf(open);
        break;
      case 'event':
        open.events.push({ attempt: effect.attempt, workerId: open.workerId, payload: effect.payload });
        break;
      case 'input-wanted':
        void this.#sendInput(effect.taskId, open, effect.attempt);
        break;
      case 'end':
        this.#end(effect.taskId, open, effect.outcome);
    }
  }

  #end(taskId: string, open: OpenRemoteTask, outcome: DispatchOutcome): void {
    const { task, events } = open;
    this.#tasks.delete(taskId);
    closeInputs(open);
    task.onFinished?.();
    if (outcome.type === 'done' || outcome.type === 'cancelled') events.end();
    else events.fail(new RemoteTaskError(outcome));
  }

  async #sendInput(taskId: string, open: OpenRemoteTask, attempt: number): Promise<void> {
    const { inputs } = open;
    if (inputs === undefined || open.attempt !== attempt) return;
    try {
      const { value, done } = await inputs.next();
      const input =
        done === true ? { payload: new Uint8Array(0), isLast: true } : { payload: value, isLast: false };
      this.#apply(this.#dispatcher.sendInput(taskId, attempt, input));
    } catch (error) {
      if (open.attempt !== attempt) return;
      this.#apply(this.#dispatcher.cancel(taskId));
      open.events.fail(error);
    }
  }

  #reportPresence({ workerId, change }: Extract<GatewayEffect, { readonly type: 'presence' }>): void {
    const version = this.#dispatcher.presence.get(workerId)?.heartbeat.version;
    const descriptions = {
      joined: 'a worker has joined',
      restarted: 'a worker has restarted',
      lost: 'a worker was lost',
      incompatible: 'a worker has an incompatible version and gets no tasks',
      ignored: 'a worker was ignored: too many workers',
      known: 'a worker is known',
    } as const;
    this.#onEvent(descriptions[change], { workerId, version });
    for (const listener of this.#presenceListeners) listener();
  }
}

/** Releases what the input of an attempt holds, such as an open file. */
function closeInputs({ inputs }: OpenRemoteTask): void {
  // An error of the input no longer matters.
  void inputs?.return?.().catch(() => {});
}

/** The input of an attempt: the rest of the job, then the input of the task. Ends with an empty payload. */
async function* inputsOf({ task, rest, attempt }: OpenRemoteTask): AsyncGenerator<Uint8Array> {
  yield* rest;
  if (task.input !== undefined) yield* task.input(attempt);
}
