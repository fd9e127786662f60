/** Time between two probes of an unavailable database. */
const RECOVERY_PROBE_MS = 1000;

/** Whether the database can be used, as the latest statement or probe has shown. */
export class DatabaseAvailability {
  readonly #probe: () => Promise<void>;
  readonly #idleProbeMs: number | undefined;
  readonly #listeners: ((problem: string | undefined) => void)[] = [];
  #problem: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * `probe` rejects while the database cannot be used. It runs every second after a failure, and every `idleProbeMs`
   * otherwise; undefined: only after a failure.
   */
  constructor(probe: () => Promise<void>, idleProbeMs: number | undefined) {
    this.#probe = probe;
    this.#idleProbeMs = idleProbeMs;
    this.#schedule();
  }

  get isAvailable(): boolean {
    return this.#problem === undefined;
  }

  /** Calls the listener with the problem when the database fails, and with undefined when it has recovered. */
  onChange(listener: (problem: string | undefined) => void): void {
    this.#listeners.push(listener);
  }

  reportFailure(problem: string): void {
    const wasAvailable = this.isAvailable;
    this.#problem = problem;
    if (!wasAvailable || this.#isClosed) return;
    this.#schedule();
    this.#notify();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const delayMs = this.isAvailable ? this.#idleProbeMs : RECOVERY_PROBE_MS;
    if (delayMs === undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#check(), delayMs).unref();
  }

  async #check(): Promise<void> {
    try {
      await this.#probe();
      const hasRecovered = !this.isAvailable;
      this.#problem = undefined;
      if (hasRecovered && !this.#isClosed) this.#notify();
    } catch {
      // A failed statement has called `reportFailure`.
    }
    this.#schedule();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener(this.#problem);
  }
}
