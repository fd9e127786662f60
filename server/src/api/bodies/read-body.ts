import type { Readable } from 'node:stream';
import { ApiError } from '../../errors.ts';

/** How long a client may take to send a body. */
export interface BodyPace {
  /** Maximum time without a byte. */
  readonly stallMs: number;
  /** Maximum time for the whole body. */
  readonly timeoutMs: number;
  /** Minimum average rate, after the first `graceMs`. 0: no minimum. */
  readonly minBytesPerSecond: number;
  readonly graceMs?: number;
}

export interface BodyLimits extends BodyPace {
  readonly maxBytes: number;
}

/** The settings of the pace. */
export interface BodyPaceConfig {
  readonly streamStallSeconds: number;
  readonly bodyTimeoutSeconds: number;
  readonly requestTimeoutSeconds: number;
  readonly bodyMinBytesPerSecond: number;
}

/** Time in which a client need not reach the minimum rate. */
export const RATE_GRACE_MS = 10_000;

/** The pace of bodies that are read into memory. */
export function memoryPace(config: BodyPaceConfig): BodyPace {
  return { ...uploadPace(config), timeoutMs: config.bodyTimeoutSeconds * 1000 };
}

/** The pace of bodies that are written to disk while they arrive. */
export function uploadPace(config: Omit<BodyPaceConfig, 'bodyTimeoutSeconds'>): BodyPace {
  return {
    stallMs: config.streamStallSeconds * 1000,
    timeoutMs: config.requestTimeoutSeconds * 1000,
    minBytesPerSecond: config.bodyMinBytesPerSecond,
  };
}

/**
 * Reads a request body. Throws `tooLarge()` above `maxBytes`, and `body_timeout` when the client is too slow. Ending
 * the iteration early leaves the rest of the body unread and the connection open.
 */
export async function* readBody(
  source: Readable,
  { maxBytes, ...pace }: BodyLimits,
  tooLarge: () => ApiError,
): AsyncGenerator<Buffer> {
  // Destroying the request would close the connection before the client gets the error response.
  const chunks: AsyncIterator<Buffer> = source.iterator({ destroyOnReturn: false });
  const clock = new BodyClock(pace);
  try {
    for (;;) {
      const next = await clock.wait(chunks.next());
      if (next.done) return;
      clock.count(next.value.length);
      if (clock.receivedBytes > maxBytes) throw tooLarge();
      yield next.value;
    }
  } finally {
    // Releases the stream, so that the rest can be discarded. Not awaited: it does not resolve on a stalled stream.
    chunks.return?.().catch(() => {});
  }
}

/** Measures the time that a client takes. Time in which the server does not read counts only towards `timeoutMs`. */
class BodyClock {
  readonly #pace: BodyPace;
  readonly #startedMs = performance.now();
  #waitedMs = 0;
  receivedBytes = 0;

  constructor(pace: BodyPace) {
    this.#pace = pace;
  }

  count(bytes: number): void {
    this.receivedBytes += bytes;
  }

  /** Waits for the next chunk. Throws `body_timeout` when it does not arrive in time. */
  async wait<Value>(next: Promise<Value>): Promise<Value> {
    const fromMs = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(createBodyTimeoutError()), this.#allowedMs(fromMs));
    });
    try {
      return await Promise.race([next, late]);
    } finally {
      clearTimeout(timer);
      this.#waitedMs += performance.now() - fromMs;
    }
  }

  #allowedMs(nowMs: number): number {
    const { stallMs, timeoutMs, minBytesPerSecond, graceMs = RATE_GRACE_MS } = this.#pace;
    const untilTimeoutMs = timeoutMs - (nowMs - this.#startedMs);
    const earnedMs =
      minBytesPerSecond === 0
        ? Number.POSITIVE_INFINITY
        : graceMs + (this.receivedBytes / minBytesPerSecond) * 1000;
    return Math.max(0, Math.min(stallMs, untilTimeoutMs, earnedMs - this.#waitedMs));
  }
}

function createBodyTimeoutError(): ApiError {
  return new ApiError('body_timeout', 'The body did not arrive in time.');
}
