import { ApiError } from '../../../errors.ts';
import { FairUsage } from './fair-usage.ts';

/** Runs one inference step when the scheduler permits it. */
export type RunStep = <T>(step: () => Promise<T>) => Promise<T>;

export interface TurnTask {
  /** The steps of live tasks run before those of file tasks. */
  readonly isLive: boolean;
  /** Accounts with equal demand get equal CPU time. */
  readonly accountId: string;
  /** CPU time after which the task fails with `audio_too_costly`. */
  readonly cpuSecondsMax?: number | undefined;
}

/** The turns of one task. */
export interface TaskTurns {
  /** Runs a single step, such as the voice activity detection of a block. */
  readonly runStep: RunStep;
  /**
   * Runs work of many steps, such as the transcription of a segment. One live task and one file task have such a turn
   * at a time, which limits the memory of intermediate results.
   */
  takeTurn<T>(work: (runStep: RunStep) => Promise<T>): Promise<T>;
  /** Adds CPU time that the task used outside its steps. */
  addCpuSeconds(seconds: number): void;
  close(): void;
}

export interface SchedulerClock {
  /** CPU time of this process. */
  readonly cpuSeconds: () => number;
  readonly nowMs: () => number;
}

const PROCESS_CLOCK: SchedulerClock = {
  cpuSeconds: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  },
  nowMs: () => performance.now(),
};

/** A step of a file task runs after this time even while live tasks are busy, so that files make progress. */
const FILE_STEP_WAIT_MAX_MS = 1000;

interface OpenTask extends TurnTask {
  usedSeconds: number;
}

interface Waiting {
  readonly task: OpenTask;
  readonly sinceMs: number;
  readonly begin: () => void;
}

/** The turns of the live tasks or of the file tasks. */
interface TurnQueue {
  current: OpenTask | undefined;
  waiting: Waiting[];
}

/**
 * Distributes the time of a transcription worker between its tasks. Steps run one at a time: those of live tasks
 * first, then that of the account and task with the least CPU time. The next turn is selected in the same order.
 */
export class TurnScheduler {
  readonly #clock: SchedulerClock;
  readonly #usage = new FairUsage<OpenTask>(({ accountId }) => accountId);
  readonly #live: TurnQueue = { current: undefined, waiting: [] };
  readonly #file: TurnQueue = { current: undefined, waiting: [] };
  #steps: Waiting[] = [];
  #isStepRunning = false;

  constructor(clock: SchedulerClock = PROCESS_CLOCK) {
    this.#clock = clock;
  }

  open(options: TurnTask): TaskTurns {
    const task: OpenTask = { ...options, usedSeconds: 0 };
    const queue = task.isLive ? this.#live : this.#file;
    const runStep: RunStep = (step) => this.#runStep(task, step);
    this.#usage.add(task);
    return {
      runStep,
      takeTurn: async (work) => {
        await this.#wait(task, (waiting) => {
          queue.waiting.push(waiting);
          this.#beginNextTurn(queue);
        });
        try {
          return await work(runStep);
        } finally {
          queue.current = undefined;
          this.#beginNextTurn(queue);
          this.#beginNextStep();
        }
      },
      addCpuSeconds: (seconds) => this.#addUsage(task, seconds),
      close: () => this.#usage.remove(task),
    };
  }

  async #runStep<T>(task: OpenTask, step: () => Promise<T>): Promise<T> {
    assertAffordable(task);
    await this.#wait(task, (waiting) => {
      this.#steps.push(waiting);
      this.#beginNextStep();
    });
    const cpuSeconds = this.#clock.cpuSeconds();
    try {
      return await step();
    } finally {
      this.#addUsage(task, this.#clock.cpuSeconds() - cpuSeconds);
      this.#isStepRunning = false;
      this.#beginNextStep();
    }
  }

  #wait(task: OpenTask, enqueue: (waiting: Waiting) => void): Promise<void> {
    return new Promise((begin) => enqueue({ task, sinceMs: this.#clock.nowMs(), begin }));
  }

  #addUsage(task: OpenTask, seconds: number): void {
    task.usedSeconds += seconds;
    this.#usage.addUsage(task, seconds);
  }

  #beginNextTurn(queue: TurnQueue): void {
    if (queue.current !== undefined) return;
    const next = this.#usage.first(queue.waiting);
    if (next === undefined) return;
    queue.waiting = queue.waiting.filter((waiting) => waiting !== next);
    queue.current = next.task;
    next.begin();
  }

  #beginNextStep(): void {
    if (this.#isStepRunning) return;
    const next = this.#nextStep();
    if (next === undefined) return;
    this.#steps = this.#steps.filter((waiting) => waiting !== next);
    this.#isStepRunning = true;
    next.begin();
  }

  #nextStep(): Waiting | undefined {
    const files = this.#steps.filter(({ task }) => !task.isLive);
    const oldestMs = this.#clock.nowMs() - FILE_STEP_WAIT_MAX_MS;
    const overdue = files.filter(({ sinceMs }) => sinceMs <= oldestMs);
    const live = this.#steps.filter(({ task }) => task.isLive);
    // A live turn is busy between its steps as well: no step of a file runs there.
    const isLiveBusy = this.#live.current !== undefined;
    return (
      this.#usage.first(overdue) ?? this.#usage.first(live) ?? this.#usage.first(isLiveBusy ? [] : files)
    );
  }
}

function assertAffordable({ usedSeconds, cpuSecondsMax = Number.POSITIVE_INFINITY }: OpenTask): void {
  if (usedSeconds <= cpuSecondsMax) return;
  throw new ApiError('audio_too_costly', `The transcription takes more than ${cpuSecondsMax} s of CPU time.`);
}
