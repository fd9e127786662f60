import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Maximum time in the HTTP process before other requests get a turn. */
const TURN_MS = 10;

/** Divides the work on a book into turns. */
export class Turns {
  #startedAtMs = performance.now();

  /** Lets other work run if the turn is over. */
  async pause(): Promise<void> {
    if (performance.now() - this.#startedAtMs < TURN_MS) return;
    await yieldToEventLoop();
    this.#startedAtMs = performance.now();
  }
}
