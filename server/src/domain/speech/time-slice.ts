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
