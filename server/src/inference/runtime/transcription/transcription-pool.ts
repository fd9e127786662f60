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
/** A client waits for the response, as for a new voice; speech and live audio have deadlines. */
const FILE_WORKERS: WorkerKind = { entry: ENTRY, niceness: 5, displayName: 'transcription worker' };
/** No client waits for a job: the niceness is above that of all other workers. */
const JOB_WORKERS: WorkerKind = { entry: ENTRY, niceness: 10, displayName: 'transcription job worker' };
/** Live text has a deadline, as speech has. */
const LIVE_WORKERS: WorkerKind = { entry: ENTRY, niceness: 0, displayName: 'live transcription worker' };

type TaskOptions = Parameters<AsrWorkers['transcribe']>[1];

export interface TranscriptionPoolOptions extends OnDemandOptions<AsrTask> {
  /** Number of processes for live tasks only; 0: live tasks and jobs run in the processes of the files. */
  readonly liveCount: number;
}

/**
 * The transcription worker processes. They start with the first task of their kind. Live tasks and jobs have processes of
 * their own, so that the operating system interrupts the inference of a file for live tasks, and that of a job for both.
 */
export class TranscriptionPool implements AsrWorkers {
  readonly #files: OnDemandPool<AsrTask, AsrEvent, AsrInput>;
  readonly #jobs: OnDemandPool<AsrTask, AsrEvent, AsrInput> | undefined;
  readonly #live: OnDemandPool<AsrTask, AsrEvent, AsrInput> | undefined;
  #liveTasks = 0;

  constructor({ liveCount, ...options }: TranscriptionPoolOptions) {
    this.#files = new OnDemandPool(FILE_WORKERS, options);
    this.#jobs = liveCount === 0 ? undefined : new OnDemandPool(JOB_WORKERS, options);
    this.#live =
      liveCount === 0 ? undefined : new OnDemandPool(LIVE_WORKERS, { ...options, count: liveCount });
  }

  transcribe(task: AsrTask, options: TaskOptions): AsyncGenerator<AsrEvent> {
    if (task.source.kind === 'stream') return this.#transcribeLive(task, options);
    return ((task.isJob ? this.#jobs : undefined) ?? this.#files).run(task, options);
  }

  /** Whether a live task is open. */
  get isLive(): boolean {
    return this.#liveTasks > 0;
  }

  /** Starts the processes ahead of the first task, except for those of jobs. */
  start(): void {
    this.#files.start();
    this.#live?.start();
  }

  /** The running processes: those of the files, then those of live tasks, then those of jobs. */
  status(): readonly WorkerStatus[] {
    return [this.#files, this.#live, this.#jobs].flatMap((pool) => pool?.status() ?? []);
  }

  async *#transcribeLive(task: AsrTask, options: TaskOptions): AsyncGenerator<AsrEvent> {
    this.#liveTasks++;
    try {
      yield* (this.#live ?? this.#files).run(task, options);
    } finally {
      this.#liveTasks--;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#files.close(), this.#live?.close(), this.#jobs?.close()]);
  }
}
