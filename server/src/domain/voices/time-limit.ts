import { ApiError } from '../../errors.ts';

const RETRY_AFTER_SECONDS = 30;

/** What may take no longer than this. */
export interface TimeLimit {
  readonly seconds: number;
  /** What takes long, as a client is told. */
  readonly what: string;
  /** Ends it before. */
  readonly signal: AbortSignal;
}

/**
 * Does something within a time, whether it heeds its signal or not. Throws `engine_unavailable` when that is over,
 * and the reason of the signal when that aborts before.
 */
export async function withinTime<T>(
  { seconds, what, signal }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const late = new ApiError(
    'engine_unavailable',
    `${what} takes longer than ${seconds} seconds: the server is too busy. Nothing was kept; try again later.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
  const timer = setTimeout(() => limit.abort(late), seconds * 1000);
  const leave = () => limit.abort(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    signal.throwIfAborted();
    const over = new Promise<never>((_, reject) => {
      limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
    });
    return await Promise.race([work(limit.signal), over]);
  } catch (error) {
    // Work that is stopped may say so in words of its own.
    limit.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}
