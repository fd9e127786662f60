import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 10_000;

/** Child processes of this run. They are killed when it exits. */
export class Children {
  readonly #running = new Set<ChildProcess>();

  constructor() {
    // Emitted on every exit except by SIGKILL.
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

  /** Sends SIGTERM, and SIGKILL after the grace period. */
  async stop(child: ChildProcess): Promise<void> {
    if (!this.#running.has(child)) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    clearTimeout(timer);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.stop(child)));
  }
}
