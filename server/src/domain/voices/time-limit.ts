import { ApiError } from '../../errors.ts';

const RETRY_AFTER_SECONDS = 30;

/** A time limit for an operation. */
export interface TimeLimit {
  readonly seconds: number;
  /** Name of the operation for the error message. */
  readonly operation: string;
  /** Aborts the operation before the limit. */
  readonly signal: AbortSignal;
}

/**
 * Runs an operation with a time limit, even when it ignores its signal. Throws `engine_unavailable` after the limit, and
 * the reason of the outer signal when that aborts.
 */
export async function withTimeLimit<T>(
  { seconds, operation, signal }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timeoutError = new ApiError(
    'engine_unavailable',
    `${operation} took longer than ${seconds} seconds, because the server is busy. Nothing was stored; try again later.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
  const timer = setTimeout(() => limit.abort(timeoutError), seconds * 1000);
  const abort = () => limit.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
    });
    return await Promise.race([work(limit.signal), aborted]);
  } catch (error) {
    // An aborted operation may throw an error of its own.
    limit.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
