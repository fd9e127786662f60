import { FairQueue } from '../../concurrency/fair-queue.ts';

/** Maximum time of planned work in one turn of the event loop of the HTTP process. */
const SLICE_MS = 10;

/**
 * The turns of the event loop that long work of the HTTP process uses. All requests share one slice per turn: with a slice
 * each, many requests at once would delay every other one by the sum.
 */
class SharedSlices {
  #endsAtMs = 0;
  #isTurnOpen = false;
  /** Continuations of the work that waits. */
  readonly #waiting = new FairQueue<() => void>();

  /** Whether the slice of this turn has time left. */
  hasTime(): boolean {
    if (!this.#isTurnOpen) this.#openTurn();
    return performance.now() < this.#endsAtMs;
  }

  /** Waits for the slice of another turn. */
  wait(owner: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(owner, resolve));
  }

  #openTurn(): void {
    this.#isTurnOpen = true;
    this.#endsAtMs = performance.now() + SLICE_MS;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isTurnOpen = false;
    const resume = this.#waiting.take();
    if (resume === undefined) return;
    this.#openTurn();
    resume();
  }
}

const SLICES = new SharedSlices();

/** Divides long work of the HTTP process into slices, for one owner: the account of a request. */
export class TimeSlice {
  readonly #owner: string;

  constructor(owner: string) {
    this.#owner = owner;
  }

  /** Whether to await `next` before more work. Checked without `await`, as many would pass it before one begins. */
  get isOver(): boolean {
    return !SLICES.hasTime();
  }

  /** Lets other work run. */
  next(): Promise<void> {
    return SLICES.wait(this.#owner);
  }
}

/** Runs steps in slices. Returns the result of the last one. */
export async function runInSlices<Result>(owner: string, steps: Generator<void, Result>): Promise<Result> {
  const slice = new TimeSlice(owner);
  for (;;) {
    if (slice.isOver) await slice.next();
    const step = steps.next();
    if (step.done) return step.value;
  }
}
