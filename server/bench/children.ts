import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** How long a process may take to end when it is asked to. */
const GRACE_MS = 10_000;

/** The processes this run has started. None of them outlives it. */
export class Children {
  readonly #running = new Set<ChildProcess>();

  constructor() {
    // Reached in whatever way the run ends, short of being killed.
    process.once('exit', () => {
      for (const child of this.#running) child.kill('SIGKILL');
    });
  }

  add<Child extends ChildProcess>(child: Child): Child {
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    child.once('error', () => this.#running.delete(child));
    return child;
  }

  /** Asks a process to end, and insists when it does not. */
  async stop(child: ChildProcess): Promise<void> {
    if (!this.#running.has(child)) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
    clearTimeout(timer);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.stop(child)));
  }
}
