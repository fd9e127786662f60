import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { AsyncQueue } from '../../../concurrency/async-queue.ts';
import { supportedV8Flags, WORKER_V8_FLAGS } from '../../../concurrency/v8-flags.ts';
import { WorkerLostError } from '../../../domain/engines/worker-lost-error.ts';
import { ApiError, ERRORS, type ErrorCode } from '../../../errors.ts';
import type { WorkerFailure, WorkerRequest, WorkerResponse, WorkerSettings } from './messages.ts';
import { SmallMap } from './small-map.ts';

const STOP_TIMEOUT_MS = 2000;

/** How a worker process is started. */
export interface WorkerStart {
  /** The program it runs. */
  readonly entry: string;
  readonly settings: WorkerSettings;
  readonly startTimeoutMs: number;
  /** How much it steps back for others, from 0 (not at all) to 19. */
  readonly niceness: number;
}

/** What a worker says of itself. */
export interface WorkerVitals {
  readonly memoryBytes: number;
  readonly engines: readonly string[];
}

interface Listener<Event> {
  readonly onEvent?: (event: Event) => void;
  readonly onDone: (vitals?: WorkerVitals) => void;
  readonly onFailed: (error: Error) => void;
}

/** One worker process, seen from the parent: a handshake, jobs by id, and an end. */
export class WorkerProcess<Job, Event, Input = never> {
  readonly pid: number;
  /** Resolves when the process is gone, whatever the reason, with a word on why. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #listeners = new SmallMap<Listener<Event>>();
  /** When jobs were cancelled that have not ended yet. */
  readonly #cancelledAtMs = new Map<number, number>();
  #nextId = 1;
  #lostReason: string | undefined;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid!;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#lostReason = signal === null ? `exit code ${code}` : `signal ${signal}`;
        this.#failAll(this.#lostReason);
        resolve(this.#lostReason);
      });
    });
    child.on('message', (message: WorkerResponse<Event>) => this.#receive(message));
  }

  /** Starts a process and waits until it answers. Kills it when it does not within the time given. */
  static async start<Job, Event, Input = never>(
    options: WorkerStart,
  ): Promise<WorkerProcess<Job, Event, Input>> {
    // With the default serialization (JSON) samples would cost ten times as much to pass on.
    const child = fork(options.entry, {
      execArgv: [...(await supportedV8Flags(WORKER_V8_FLAGS))],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const ready = new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        reject(new Error(`The worker ended at once (${signal ?? code}).`)),
      );
    });
    child.send({ type: 'start', settings: options.settings } satisfies WorkerRequest<Job, Input>);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error(`The worker did not answer within ${options.startTimeoutMs} ms.`));
      timer = setTimeout(fail, options.startTimeoutMs);
    });
    try {
      if (options.niceness > 0) stepBack(child, options.niceness);
      await Promise.race([ready, timeout]);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    } finally {
      clearTimeout(timer);
    }
    return new WorkerProcess(child);
  }

  /** Requests that have not been answered yet. */
  get pendingRequests(): number {
    return this.#listeners.size;
  }

  /** For how long it has been at a job that nobody wants any more; 0 when there is none. */
  get overdueMs(): number {
    const [oldest = Number.POSITIVE_INFINITY] = this.#cancelledAtMs.values();
    return Math.max(Date.now() - oldest, 0);
  }

  load(engine: string): Promise<unknown> {
    return this.#ask((id) => ({ type: 'load', id, engine }));
  }

  async ping(): Promise<WorkerVitals> {
    const vitals = await this.#ask((id) => ({ type: 'ping', id }));
    return vitals!;
  }

  /** Does a job, feeding it as it goes. Leaving the loop, or aborting, stops it. */
  async *run(
    job: Job,
    options: { readonly signal: AbortSignal; readonly input?: AsyncIterable<Input> | undefined },
  ): AsyncGenerator<Event> {
    const { signal, input } = options;
    signal.throwIfAborted();
    const id = this.#nextId++;
    const cancel = () => {
      if (this.#listeners.has(id)) this.#cancelledAtMs.set(id, Date.now());
      this.#send({ type: 'cancel', id });
      events.end();
    };
    const events = new AsyncQueue<Event>(cancel);
    signal.addEventListener('abort', cancel);
    const settle = () => signal.removeEventListener('abort', cancel);
    this.#listeners.add(id, {
      onEvent: (event) => events.push(event),
      onDone: () => {
        settle();
        events.end();
      },
      onFailed: (error) => {
        settle();
        events.fail(error);
      },
    });
    this.#send({ type: 'job', id, job });
    if (input !== undefined) this.#feed(id, input).catch((error: unknown) => events.fail(error));
    yield* events;
    signal.throwIfAborted();
  }

  /** Asks the process to end by closing the channel, then insists. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.kill(), STOP_TIMEOUT_MS);
    await this.exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async #feed(id: number, input: AsyncIterable<Input>): Promise<void> {
    for await (const part of input) {
      if (!this.#listeners.has(id)) return;
      this.#send({ type: 'input', id, input: part });
    }
    this.#send({ type: 'input-end', id });
  }

  #ask(request: (id: number) => WorkerRequest<Job, Input>): Promise<WorkerVitals | undefined> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#listeners.add(id, { onDone: resolve, onFailed: reject });
      this.#send(request(id));
    });
  }

  #send(message: WorkerRequest<Job, Input>): void {
    if (this.#lostReason !== undefined || !this.#child.connected) {
      if ('id' in message) this.#fail(message.id, this.#lostReason ?? 'channel closed');
      return;
    }
    // A channel that breaks here is followed by `exit`, which fails everything that is open.
    this.#child.send(message, () => {});
  }

  #receive(message: WorkerResponse<Event>): void {
    if (message.type === 'ready') return;
    const listener = this.#listeners.get(message.id);
    if (listener === undefined) return;
    if (message.type === 'event') {
      listener.onEvent?.(message.event);
      return;
    }
    this.#listeners.delete(message.id);
    this.#cancelledAtMs.delete(message.id);
    if (message.type === 'failed') listener.onFailed(toError(message.failure));
    else listener.onDone(message.type === 'pong' ? message : undefined);
  }

  #fail(id: number, reason: string): void {
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    listener?.onFailed(new WorkerLostError(`The worker process was lost (${reason}).`));
  }

  #failAll(reason: string): void {
    for (const id of this.#listeners.ids()) this.#fail(id, reason);
  }
}

function stepBack(child: ChildProcess, niceness: number): void {
  try {
    setPriority(child.pid!, niceness);
  } catch {
    // It died already, which is noticed elsewhere, or the system does not allow it: then it works as it is.
  }
}

function toError(failure: WorkerFailure): Error {
  const isKnown = failure.code !== undefined && failure.code in ERRORS;
  return isKnown ? new ApiError(failure.code as ErrorCode, failure.message) : new Error(failure.message);
}
