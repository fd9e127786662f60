import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SpeechPart, Utterance } from '../engines/engine.ts';
import { ApiError, ERRORS, type ErrorCode } from '../errors.ts';
import { type SpeakOptions, WorkerLostError } from '../speech/workers.ts';
import { Channel } from './channel.ts';
import type { WorkerFailure, WorkerRequest, WorkerResponse, WorkerSettings } from './messages.ts';

const ENTRY = fileURLToPath(new URL('./worker-main.js', import.meta.url));
const STOP_TIMEOUT_MS = 2000;
/** The heap is small: helper threads would save no time and cost CPU that the engine needs. */
const NODE_OPTIONS = ['--single-threaded-gc'];

/** What a worker says of itself. */
export interface WorkerVitals {
  readonly memoryBytes: number;
  readonly engines: readonly string[];
}

interface Listener {
  readonly onAudio?: (part: SpeechPart) => void;
  readonly onDone: (vitals?: WorkerVitals) => void;
  readonly onFailed: (error: Error) => void;
}

/** One worker process, seen from the parent: a handshake, requests by id, and an end. */
export class WorkerProcess {
  readonly pid: number;
  /** Resolves when the process is gone, whatever the reason, with a word on why. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #listeners = new Map<number, Listener>();
  #nextId = 1;
  #pendingLetters = 0;
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
    child.on('message', (message: WorkerResponse) => this.#receive(message));
  }

  /** Starts a process and waits until it answers. Kills it when it does not within the time given. */
  static async start(
    settings: WorkerSettings,
    options: { readonly startTimeoutMs: number },
  ): Promise<WorkerProcess> {
    // With the default serialization (JSON) samples would cost ten times as much to pass on.
    const child = fork(ENTRY, {
      execArgv: NODE_OPTIONS,
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
    child.send({ type: 'start', settings } satisfies WorkerRequest);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error(`The worker did not answer within ${options.startTimeoutMs} ms.`));
      timer = setTimeout(fail, options.startTimeoutMs);
    });
    try {
      await Promise.race([ready, timeout]);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    } finally {
      clearTimeout(timer);
    }
    return new WorkerProcess(child);
  }

  /** Letters of text waiting to be spoken: a measure of how busy it is. */
  get pendingLetters(): number {
    return this.#pendingLetters;
  }

  /** Requests that have not been answered yet. */
  get pendingRequests(): number {
    return this.#listeners.size;
  }

  load(engine: string): Promise<unknown> {
    return this.#ask((id) => ({ type: 'load', id, engine }));
  }

  async ping(): Promise<WorkerVitals> {
    const vitals = await this.#ask((id) => ({ type: 'ping', id }));
    return vitals!;
  }

  async *speak(engine: string, utterance: Utterance, options: SpeakOptions): AsyncGenerator<SpeechPart> {
    const { dueAtMs, signal } = options;
    signal.throwIfAborted();
    const id = this.#nextId++;
    const letters = utterance.words.reduce((sum, word) => sum + word.text.length, 0);
    const cancel = () => {
      this.#send({ type: 'cancel', id });
      parts.end();
    };
    const parts = new Channel<SpeechPart>(cancel);
    signal.addEventListener('abort', cancel);
    this.#pendingLetters += letters;
    const settle = () => {
      this.#pendingLetters -= letters;
      signal.removeEventListener('abort', cancel);
    };
    this.#listeners.set(id, {
      onAudio: (part) => parts.push(part),
      onDone: () => {
        settle();
        parts.end();
      },
      onFailed: (error) => {
        settle();
        parts.fail(error);
      },
    });
    this.#send({ type: 'speak', id, engine, utterance, dueAtMs });
    yield* parts;
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

  #ask(request: (id: number) => WorkerRequest): Promise<WorkerVitals | undefined> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#listeners.set(id, { onDone: resolve, onFailed: reject });
      this.#send(request(id));
    });
  }

  #send(message: WorkerRequest): void {
    if (this.#lostReason !== undefined || !this.#child.connected) {
      if ('id' in message) this.#fail(message.id, this.#lostReason ?? 'channel closed');
      return;
    }
    // A channel that breaks here is followed by `exit`, which fails everything that is open.
    this.#child.send(message, () => {});
  }

  #receive(message: WorkerResponse): void {
    if (message.type === 'ready') return;
    const listener = this.#listeners.get(message.id);
    if (listener === undefined) return;
    if (message.type === 'audio') {
      listener.onAudio?.(message.part);
      return;
    }
    this.#listeners.delete(message.id);
    if (message.type === 'failed') listener.onFailed(toError(message.failure));
    else listener.onDone(message.type === 'pong' ? message : undefined);
  }

  #fail(id: number, reason: string): void {
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    listener?.onFailed(new WorkerLostError(`The worker process was lost (${reason}).`));
  }

  #failAll(reason: string): void {
    for (const id of [...this.#listeners.keys()]) this.#fail(id, reason);
  }
}

function toError(failure: WorkerFailure): Error {
  const isKnown = failure.code !== undefined && failure.code in ERRORS;
  return isKnown ? new ApiError(failure.code as ErrorCode, failure.message) : new Error(failure.message);
}
