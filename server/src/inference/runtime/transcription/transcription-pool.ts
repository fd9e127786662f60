import { fileURLToPath } from 'node:url';
import type {
  AsrEvent,
  AsrInput,
  AsrTask,
  AsrWorkers,
} from '../../../domain/transcription/pipeline/asr-task.ts';
import { type OnDemandOptions, OnDemandPool, type WorkerKind } from '../process/on-demand-pool.ts';
import type { WorkerStatus } from '../process/supervisor.ts';

const ENTRY = fileURLToPath(new URL('./transcription-main.js', import.meta.url));
/** Speech and live audio have deadlines, a file has none: the niceness is above that of all other workers. */
const FILE_WORKERS: WorkerKind = { entry: ENTRY, niceness: 10, displayName: 'transcription worker' };
/** Live text has a deadline, as speech has. */
const LIVE_WORKERS: WorkerKind = { entry: ENTRY, niceness: 0, displayName: 'live transcription worker' };

export interface TranscriptionPoolOptions extends OnDemandOptions<AsrTask> {
  /** Number of processes for live tasks only; 0: they run in the processes of the files, before them. */
  readonly liveCount: number;
}

/**
 * The transcription worker processes. They start with the first task of their kind. Live tasks have processes of their
 * own, so that the operating system interrupts the inference of a file for them.
 */
export class TranscriptionPool implements AsrWorkers {
  readonly #files: OnDemandPool<AsrTask, AsrEvent, AsrInput>;
  readonly #live: OnDemandPool<AsrTask, AsrEvent, AsrInput> | undefined;

  constructor({ liveCount, ...options }: TranscriptionPoolOptions) {
    this.#files = new OnDemandPool(FILE_WORKERS, options);
    this.#live =
      liveCount === 0 ? undefined : new OnDemandPool(LIVE_WORKERS, { ...options, count: liveCount });
  }

  transcribe(
    task: AsrTask,
    options: { readonly signal: AbortSignal; readonly input?: AsyncIterable<AsrInput> | undefined },
  ): AsyncGenerator<AsrEvent> {
    const pool = task.source.kind === 'stream' ? (this.#live ?? this.#files) : this.#files;
    return pool.run(task, options);
  }

  /** Starts the processes ahead of the first task. */
  start(): void {
    this.#files.start();
    this.#live?.start();
  }

  /** The running processes: those of the files, then those of live tasks. */
  status(): readonly WorkerStatus[] {
    return [...this.#files.status(), ...(this.#live?.status() ?? [])];
  }

  async close(): Promise<void> {
    await Promise.all([this.#files.close(), this.#live?.close()]);
  }
}
