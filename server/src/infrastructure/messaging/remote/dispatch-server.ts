import { randomUUID } from 'node:crypto';
import { AsyncQueue } from '../../../concurrency/async-queue.ts';
import { WorkerLostError } from '../../../domain/engines/worker-lost-error.ts';
import { ApiError } from '../../../errors.ts';
import { DEFAULT_DISPATCH_POLICY, type DispatchPolicy } from '../protocol/dispatch-policy.ts';
import {
  type KindPresence,
  PROTOCOL_VERSION,
  type TaskOutcome,
  type WorkKind,
} from '../protocol/messages.ts';
import { type TaskKey, WorkerDispatcher, type WorkerEffect } from '../protocol/worker-dispatcher.ts';
import type { BusMessage, MessageBus } from '../transport/message-bus.ts';
import { decodeGatewayMessage, encodeHeartbeat, encodeMessage } from '../transport/message-codec.ts';
import { Subjects, senderOf } from '../transport/subjects.ts';
import type { DispatchEvent } from './dispatch-client.ts';
import { JobAssembler } from './framed-payload.ts';

/** Runs the tasks of one kind. */
export interface TaskRunner {
  readonly slots: number;
  /** For the heartbeat. */
  presence(): Pick<KindPresence, 'processes' | 'engines'>;
  /** Yields payloads of at most `PAYLOAD_MAX_BYTES`. The signal is aborted when the task is cancelled. */
  run(
    job: Uint8Array,
    options: { readonly signal: AbortSignal; readonly input: AsyncIterable<Uint8Array> },
  ): AsyncIterable<Uint8Array>;
}

export type TaskRunners = Readonly<Partial<Record<WorkKind, TaskRunner>>>;

interface RunningTask {
  readonly abort: AbortController;
  readonly input: AsyncQueue<Uint8Array>;
  /** Wakes the task when it has credit again. */
  wake: () => void;
}

const MESSAGE_MAX_LENGTH = 1000;

/** Serves the runners of this process to gateways. */
export class DispatchServer {
  readonly id: string;
  readonly #bus: MessageBus;
  readonly #runners: TaskRunners;
  readonly #version: string;
  readonly #subjects = new Subjects();
  readonly #boot = randomUUID();
  readonly #dispatcher: WorkerDispatcher;
  readonly #onEvent: DispatchEvent;
  readonly #running = new Map<string, RunningTask>();
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(options: {
    readonly bus: MessageBus;
    readonly id: string;
    readonly version: string;
    readonly runners: TaskRunners;
    readonly onEvent: DispatchEvent;
    readonly policy?: Partial<DispatchPolicy> | undefined;
  }) {
    const policy = { ...DEFAULT_DISPATCH_POLICY, ...options.policy };
    const { id, bus, runners, version } = options;
    this.id = id;
    this.#bus = bus;
    this.#runners = runners;
    this.#version = version;
    this.#onEvent = options.onEvent;
    const slots = Object.fromEntries(Object.entries(runners).map(([kind, runner]) => [kind, runner.slots]));
    this.#dispatcher = new WorkerDispatcher({ policy, version, slots, boot: this.#boot });
    bus.subscribe(this.#subjects.toWorker(id, '*'), (message) => this.#receive(message));
    bus.onConnection((isConnected) => {
      if (isConnected) this.#dispatcher.handleReconnect(Date.now());
      else this.#dispatcher.handleDisconnect();
      if (isConnected) this.#sendHeartbeat();
      options.onEvent(isConnected ? 'connected to NATS again' : 'the connection to NATS was lost', {});
    });
    const tick = () => this.#apply(this.#dispatcher.tick(Date.now()));
    this.#timers = [
      setInterval(() => this.#sendHeartbeat(), policy.heartbeatMs),
      // Immediates run after sockets were read: a process that was busy reads messages before it decides on losses.
      setInterval(() => setImmediate(tick), Math.floor(policy.noResponderMs / 2)),
    ];
    this.#sendHeartbeat();
  }

  /** Tasks that are running. */
  get openTasks(): number {
    return this.#dispatcher.openTasks();
  }

  /** Refuses new tasks and resolves when the running ones have ended and gateways have their results. */
  async drain(timeoutMs: number): Promise<void> {
    this.#dispatcher.drain();
    this.#sendHeartbeat();
    const endMs = Date.now() + timeoutMs;
    while (this.#dispatcher.retainedTasks > 0 && Date.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    for (const { abort } of this.#running.values()) abort.abort();
    await this.#bus.flush().catch(() => {});
  }

  #receive({ subject, payload, isNoResponder }: BusMessage): void {
    const gatewayId = senderOf(subject);
    if (gatewayId === undefined) return;
    if (isNoResponder) {
      this.#dispatcher.handleNoResponder(gatewayId, Date.now());
      return;
    }
    const message = decodeGatewayMessage(payload);
    if (message !== undefined) this.#apply(this.#dispatcher.receive(gatewayId, message, Date.now()));
  }

  #sendHeartbeat(): void {
    const kinds: KindPresence[] = [];
    for (const [kind, runner] of Object.entries(this.#runners) as [WorkKind, TaskRunner][]) {
      const { slots } = runner;
      kinds.push({ kind, slots, openTasks: this.#dispatcher.openTasks(kind), ...runner.presence() });
    }
    const { isDraining } = this.#dispatcher;
    const heartbeat = {
      boot: this.#boot,
      protocol: PROTOCOL_VERSION,
      version: this.#version,
      isDraining,
      kinds,
    };
    this.#bus.publish(this.#subjects.presence(this.id), encodeHeartbeat(heartbeat));
  }

  #apply(effects: readonly WorkerEffect[]): void {
    for (const effect of effects) {
      switch (effect.type) {
        case 'send':
          this.#bus.publish(
            this.#subjects.toGateway(effect.gatewayId, this.id),
            encodeMessage(effect.message),
            { replyTo: this.#subjects.toWorker(this.id, effect.gatewayId) },
          );
          break;
        case 'run':
          void this.#run(effect);
          break;
        case 'input': {
          const running = this.#running.get(nameOf(effect.key));
          running?.input.push(effect.payload);
          if (effect.isLast) running?.input.end();
          break;
        }
        case 'continue':
          this.#running.get(nameOf(effect.key))?.wake();
          break;
        case 'abort': {
          const running = this.#running.get(nameOf(effect.key));
          running?.abort.abort();
          running?.wake();
        }
      }
    }
  }

  async #run({
    key,
    kind,
    payload,
    hasInput,
  }: Extract<WorkerEffect, { readonly type: 'run' }>): Promise<void> {
    const abort = new AbortController();
    const { signal } = abort;
    const input = new AsyncQueue<Uint8Array>(() => {});
    if (!hasInput) input.end();
    const running: RunningTask = { abort, input, wake: () => {} };
    this.#running.set(nameOf(key), running);
    signal.addEventListener('abort', () => input.end());
    let outcome: TaskOutcome = { type: 'done' };
    try {
      const inputs = this.#takeInputs(key, input);
      const job = await assemble(payload, inputs);
      if (job !== undefined) {
        const runner = this.#runners[kind];
        if (runner === undefined) throw new Error(`This worker does not run ${kind}.`);
        for await (const event of runner.run(job, {
          signal,
          input: { [Symbol.asyncIterator]: () => inputs },
        })) {
          await this.#untilCredit(key, running);
          if (signal.aborted) break;
          this.#apply(this.#dispatcher.sendEvent(key, event));
        }
      }
    } catch (error) {
      outcome = outcomeOf(error);
      if (!signal.aborted) {
        // Without the message, which may quote the text.
        const code = outcome.type === 'failed' ? outcome.code : undefined;
        this.#onEvent('a task failed', { kind, type: outcome.type, code });
      }
    }
    this.#running.delete(nameOf(key));
    if (!signal.aborted) this.#apply(this.#dispatcher.sendEnd(key, outcome));
  }

  /** Inputs as the task takes them. The last one may be an empty end marker. */
  async *#takeInputs(key: TaskKey, input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const payload of input) {
      this.#apply(this.#dispatcher.recordInputTaken(key));
      if (payload.byteLength > 0) yield payload;
    }
  }

  async #untilCredit(key: TaskKey, running: RunningTask): Promise<void> {
    while (!running.abort.signal.aborted && !this.#dispatcher.hasCredit(key)) {
      await new Promise<void>((resolve) => {
        running.wake = resolve;
      });
    }
  }
}

/** The description of a task from its payloads; undefined if the input ended before. */
async function assemble(
  first: Uint8Array,
  inputs: AsyncIterator<Uint8Array>,
): Promise<Uint8Array | undefined> {
  const assembler = new JobAssembler(first);
  while (assembler.job === undefined) {
    const { value, done } = await inputs.next();
    if (done === true) return undefined;
    assembler.add(value);
  }
  return assembler.job;
}

function outcomeOf(error: unknown): TaskOutcome {
  if (error instanceof WorkerLostError) return { type: 'lost', isSuspect: error.isSuspect };
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof ApiError ? error.code : undefined;
  return { type: 'failed', code, message: message.slice(0, MESSAGE_MAX_LENGTH) };
}

function nameOf({ gatewayId, task, attempt }: TaskKey): string {
  return `${gatewayId}.${task}.${attempt}`;
}
