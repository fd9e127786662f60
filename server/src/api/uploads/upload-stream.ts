import type { Readable } from 'node:stream';
import { ApiError } from '../../errors.ts';

export interface StreamLimits {
  readonly maxBytes: number;
  /** A client that sends nothing for this time is rejected. */
  readonly stallMs: number;
}

/**
 * Reads a request body. Throws `tooLarge()` above `maxBytes`, and `invalid_body` when the client stalls. Ending the
 * iteration early leaves the rest of the body unread and the connection open.
 */
export async function* readBody(
  source: Readable,
  { maxBytes, stallMs }: StreamLimits,
  tooLarge: () => ApiError,
): AsyncGenerator<Buffer> {
  // Destroying the request would close the connection before the client gets the error response.
  const chunks: AsyncIterator<Buffer> = source.iterator({ destroyOnReturn: false });
  let totalBytes = 0;
  try {
    for (;;) {
      const next = await withTimeout(chunks.next(), stallMs);
      if (next.done) return;
      totalBytes += next.value.length;
      if (totalBytes > maxBytes) throw tooLarge();
      yield next.value;
    }
  } finally {
    // Releases the stream, so that the rest can be discarded. Not awaited: it does not resolve on a stalled stream.
    chunks.return?.().catch(() => {});
  }
}

async function withTimeout<Value>(value: Promise<Value>, stallMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_, reject) => {
    const fail = () => reject(new ApiError('invalid_body', 'The upload stopped before its end.'));
    timer = setTimeout(fail, stallMs);
  });
  try {
    return await Promise.race([value, stalled]);
  } finally {
    clearTimeout(timer);
  }
}
