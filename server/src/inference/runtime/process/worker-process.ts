import type { ChildProcess } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { AsyncQueue } from '../../../concurrency/async-queue.ts';
import { WorkerLostError } from '../../../domain/engines/worker-lost-error.ts';
import { ApiError, ERRORS, type ErrorCode } from '../../../errors.ts';
import { attachSpans, isRecorded, type Span, type SpanRecord } from '../../../tracing/tracing.ts';
import { type ServerFfmpegSlots, WorkerFfmpegSlots } from './ffmpeg-slots.ts';
import type { WorkerFailure, WorkerRequest, WorkerResponse, WorkerSettings } from './messages.ts';
import { SmallMap } from './small-map.ts';
import { takeProcess } from './spare-process.ts';

const STOP_TIMEOUT_MS = 2000;
const NICENESS_MAX = 19;
/** Time for the last messages of an exited process. */
const DISCONNECT_TIMEOUT_MS = 1000;

/** Start options of a worker process. */
export interface WorkerStart {
  /** Path of the entry module. */
  readonly entry: string;
  readonly settings: WorkerSettings;
  readonly startTimeoutMs: number;
  /** Process niceness in addition to that of this process, 0 to 19. */
  readonly niceness: number;
  /** The FFmpeg slots of the server, and the name under which this process takes its turn. Absent: no limit. */
  readonly ffmpegSlots?: { readonly slots: ServerFfmpegSlots; readonly owner: string } | undefined;
}

/** The state that a worker reports in a `pong`. */
export interface WorkerVitals {
  readonly memoryBytes: number;
  readonly engines: readonly string[];
  /** Seconds that loading each of these engines took. */
  readonly loadSeconds?: Readonly<Record<string, number>>;
}

/** Handles the responses to one request. */
interface ResponseHandler<Event> {
  readonly onEvent?: (event: Event) => void;
  readonly onSpans?: (spans: readonly SpanRecord[]) => void;
  readonly onDone?: () => void;
  readonly onPong?: (vitals: WorkerVitals) => void;
  readonly onFailed: (error: Error) => void;
}

/** The parent's side of one worker process. Requests and responses are matched by id. */
export class WorkerProcess<Job, Event, Input = never> {
  readonly pid: number;
  /** Resolves with the reason when the process has exited. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #handlers = new SmallMap<ResponseHandler<Event>>();
  /** Cancelled jobs that have not stopped yet, the oldest first. */
  readonly #cancelled = new Set<number>();
  readonly #ffmpegSlots: WorkerFfmpegSlots | undefined;
  #nextId = 1;
  #step: { readonly jobId: number } | undefined;
  #lostReason: string | undefined;

  private constructor(child: ChildProcess, { ffmpegSlots }: Pick<WorkerStart, 'ffmpegSlots'>) {
    this.#child = child;
    this.#ffmpegSlots =
      ffmpegSlots &&
      new WorkerFfmpegSlots(ffmpegSlots.slots, {
        owner: ffmpegSlots.owner,
        grant: (id) => this.#send({ type: 'slot-granted', id }),
      });
    // Defined: a process without a pid never becomes ready, and `start` rejects.
    this.pid = child.pid!;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        const reason = signal === null ? `exit code ${code}` : `signal ${signal}`;
        this.#lostReason = reason;
        this.#ffmpegSlots?.close();
        // Messages that the process sent before its end are still being received.
        void untilDisconnected(child).then(() => {
          this.#failAll(reason);
          resolve(reason);
        });
      });
    });
    child.on('message', (message: WorkerResponse<Event>) => this.#receive(message));
  }

  /** Starts a process and waits for its `ready` message. Kills it after `startTimeoutMs`. */
  static async start<Job, Event, Input = never>(
    options: WorkerStart,
  ): Promise<WorkerProcess<Job, Event, Input>> {
    const child = await takeProcess(options.entry, options.settings);
    const ready = new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        reject(new Error(`The worker exited during start (${signal ?? code}).`)),
      );
    });
    child.send({ type: 'start', settings: options.settings } satisfies WorkerRequest<Job, Input>);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error(`The worker was not ready within ${options.startTimeoutMs} ms.`));
      timer = setTimeout(fail, options.startTimeoutMs);
    });
    try {
      if (options.niceness > 0) setNiceness(child, options.niceness);
      await Promise.race([ready, timeout]);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    } finally {
      clearTimeout(timer);
    }
    return new WorkerProcess(child, options);
  }

  /** Whether the process has not exited yet. */
  get isAlive(): boolean {
    return this.#lostReason === undefined;
  }

  /** Number of requests without a final response. */
  get pendingRequests(): number {
    return this.#handlers.size;
  }

  /** The oldest cancelled job that has not stopped. */
  get cancelledJob(): number | undefined {
    const [oldest] = this.#cancelled;
    return oldest;
  }

  /** The running step: a different object for each step. */
  get step(): object | undefined {
    return this.#step;
  }

  load(engine: string): Promise<void> {
    return new Promise((onDone, onFailed) => {
      const id = this.#nextId++;
      this.#handlers.add(id, { onDone, onFailed });
      this.#send({ type: 'load', id, engine });
    });
  }

  ping(): Promise<WorkerVitals> {
    return new Promise((onPong, onFailed) => {
      const id = this.#nextId++;
      this.#handlers.add(id, { onPong, onFailed });
      this.#send({ type: 'ping', id });
    });
  }

  /** Runs a job and sends it its input. Leaving the loop or aborting the signal cancels it. */
  async *run(
    job: Job,
    options: {
      readonly signal: AbortSignal;
      readonly input?: AsyncIterable<Input> | undefined;
      /** Called when the process has stopped working on the job, even if its events are not read yet. */
      readonly onFinished?: () => void;
      /** The parent of the spans of the job. Absent: the worker records none. */
      readonly span?: Span | undefined;
    },
  ): AsyncGenerator<Event> {
    const { signal, input, span } = options;
    signal.throwIfAborted();
    const id = this.#nextId++;
    const cancel = () => {
      if (this.#handlers.has(id)) this.#cancelled.add(id);
      this.#send({ type: 'cancel', id });
      events.end();
    };
    const events = new AsyncQueue<Event>(cancel);
    signal.addEventListener('abort', cancel);
    const settle = () => {
      signal.removeEventListener('abort', cancel);
      options.onFinished?.();
    };
    this.#handlers.add(id, {
      onEvent: (event) => events.push(event),
      ...(span && { onSpans: (spans: readonly SpanRecord[]) => attachSpans(span, spans) }),
      onDone: () => {
        settle();
        events.end();
      },
      onFailed: (error) => {
        settle();
        events.fail(error);
      },
    });
    const isTraced = span !== undefined && isRecorded(span);
    this.#send({ type: 'job', id, job, ...(isTraced && { isTraced }) });
    if (input !== undefined) this.#sendInput(id, input).catch((error: unknown) => events.fail(error));
    yield* events;
    signal.throwIfAborted();
  }

  /** Closes the channel, which ends the process. Kills it if it has not exited after `STOP_TIMEOUT_MS`. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.kill(), STOP_TIMEOUT_MS);
    await this.exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async #sendInput(id: number, input: AsyncIterable<Input>): Promise<void> {
    for await (const part of input) {
      if (!this.#handlers.has(id)) return;
      this.#send({ type: 'input', id, input: part });
    }
    this.#send({ type: 'input-end', id });
  }

  #send(message: Exclude<WorkerRequest<Job, Input>, { readonly type: 'start' }>): void {
    if (this.#lostReason !== undefined || !this.#child.connected) {
      this.#fail(message.id, this.#lostReason ?? 'channel closed');
      return;
    }
    // After an error of the channel comes `exit`, which fails all open requests.
    this.#child.send(message, () => {});
  }

  #receive(message: WorkerResponse<Event>): void {
    if (message.type === 'ready') return;
    if (message.type === 'step') {
      this.#step = message.jobId === undefined ? undefined : { jobId: message.jobId };
      return;
    }
    if (message.type === 'slot-wanted' || message.type === 'slot-freed') {
      if (this.#ffmpegSlots !== undefined) this.#ffmpegSlots.receive(message);
      else if (message.type === 'slot-wanted') this.#send({ type: 'slot-granted', id: message.id });
      return;
    }
    const handler = this.#handlers.get(message.id);
    if (handler === undefined) return;
    if (message.type === 'event') {
      handler.onEvent?.(message.event);
      return;
    }
    if (message.type === 'spans') {
      handler.onSpans?.(message.spans);
      return;
    }
    this.#handlers.delete(message.id);
    this.#cancelled.delete(message.id);
    switch (message.type) {
      case 'done':
        handler.onDone?.();
        return;
      case 'pong':
        handler.onPong?.(message);
        return;
      case 'failed':
        handler.onFailed(toError(message.failure));
    }
  }

  #fail(id: number, reason: string): void {
    const handler = this.#handlers.get(id);
    this.#handlers.delete(id);
    const isSuspect = this.#step?.jobId === id;
    handler?.onFailed(new WorkerLostError(`The worker process was lost (${reason}).`, { isSuspect }));
  }

  #failAll(reason: string): void {
    for (const id of this.#handlers.ids()) this.#fail(id, reason);
  }
}

/** Resolves when every message of an exited process was received, or after a time limit. */
function untilDisconnected(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (!child.connected) return resolve();
    const timer = setTimeout(resolve, DISCONNECT_TIMEOUT_MS);
    child.once('disconnect', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function setNiceness(child: ChildProcess, niceness: number): void {
  try {
    if (child.pid !== undefined) setPriority(child.pid, Math.min(NICENESS_MAX, getPriority() + niceness));
  } catch {
    // The process has exited, which its `exit` event reports, or the system forbids it: it runs at normal priority.
  }
}

function toError(failure: WorkerFailure): Error {
  const { code, message } = failure;
  return isErrorCode(code) ? new ApiError(code, message) : new Error(message);
}

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && code in ERRORS;
}
