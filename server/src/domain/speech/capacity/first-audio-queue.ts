/** Ends a wait before its time. */
export interface QueueWait {
  readonly ended: Promise<void>;
  end(): void;
}

/** Work that other requests need more urgently waits at most this long. */
const WAIT_MAX_MS = 1000;
/** Work that is due within this time does not wait. */
const URGENT_BELOW_MS = 1500;

/** The requests queued for first audio. Work for streams that already have audio waits while there are some. */
export class FirstAudioQueue {
  #length = 0;
  readonly #waits = new Set<QueueWait>();

  /** Number of requests queued for first audio. */
  get length(): number {
    return this.#length;
  }

  /** Counts a request until the returned function is called. */
  enter(): () => void {
    this.#length++;
    let isQueued = true;
    return () => {
      if (!isQueued) return;
      isQueued = false;
      this.#length--;
      // Not at once: the audio of the request that leaves is not sent yet.
      if (this.#length === 0 && this.#waits.size > 0) setImmediate(() => this.#endWaits());
    };
  }

  /** Waits until no request is queued. Returns undefined if work that is due at `dueAtMs` cannot wait or need not. */
  wait(dueAtMs: number): QueueWait | undefined {
    const timeoutMs = Math.min(WAIT_MAX_MS, dueAtMs - Date.now() - URGENT_BELOW_MS);
    if (this.#length === 0 || timeoutMs <= 0) return undefined;
    let resolve = () => {};
    const ended = new Promise<void>((onEnd) => {
      resolve = onEnd;
    });
    const end = () => {
      clearTimeout(timer);
      this.#waits.delete(wait);
      resolve();
    };
    const timer = setTimeout(end, timeoutMs);
    const wait: QueueWait = { ended, end };
    this.#waits.add(wait);
    return wait;
  }

  #endWaits(): void {
    if (this.#length > 0) return;
    for (const wait of this.#waits) wait.end();
  }
}
