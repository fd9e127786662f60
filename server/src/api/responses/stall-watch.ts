/** A wait is compared with the state of the connection after this time, at most. Shorter waits cost nothing. */
const SAMPLE_AFTER_MS = 1000;
/** Minimum rate of a client that reads slowly. A quarter of real time of the smallest format is above it. */
const SLOW_MIN_BYTES_PER_SECOND = 256;

export interface StallWatchOptions {
  readonly stallMs: number;
  /** Bytes that the client has not read; undefined where that is not known. */
  readonly unreadBytes: () => Promise<number | undefined>;
  readonly onStall: () => void;
}

/**
 * Calls `onStall` once when a client reads nothing for `stallMs`. A client that reads slowly does not stall: the system reports
 * free space of its send buffer late, which may take minutes. Returns a function that ends the watch.
 */
export function watchStall({ stallMs, unreadBytes, onStall }: StallWatchOptions): () => void {
  let isDone = false;
  let lastBytes: number | undefined;
  const minBytes = (SLOW_MIN_BYTES_PER_SECOND * stallMs) / 1000;
  const sampleAfterMs = Math.min(SAMPLE_AFTER_MS, stallMs / 2);
  const check = async () => {
    const bytes = await unreadBytes();
    if (isDone) return;
    const hasRead = bytes !== undefined && lastBytes !== undefined && lastBytes - bytes >= minBytes;
    if (!hasRead) {
      isDone = true;
      onStall();
      return;
    }
    lastBytes = bytes;
    timer = setTimeout(check, stallMs);
  };
  const sample = async () => {
    timer = setTimeout(check, stallMs - sampleAfterMs);
    lastBytes = await unreadBytes();
  };
  let timer = setTimeout(sample, sampleAfterMs);
  return () => {
    isDone = true;
    clearTimeout(timer);
  };
}
