/** Maximum time in the HTTP process before other requests get a turn. */
const SLICE_MS = 10;

/** Divides long work of the HTTP process into slices. */
export class TimeSlice {
  #startedAtMs = performance.now();

  /** Lets other work run if the slice is over. */
  async pause(): Promise<void> {
    if (performance.now() - this.#startedAtMs < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#startedAtMs = performance.now();
  }
}

/** Runs steps in slices. Returns the result of the last one. */
export async function runInSlices<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  const slice = new TimeSlice();
  let step = steps.next();
  for (; !step.done; step = steps.next()) await slice.pause();
  return step.value;
}
