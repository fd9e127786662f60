import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../../errors.ts';
import { sendQueueBytes } from './send-queue.ts';
import { watchStall } from './stall-watch.ts';

/** Aborts when the client disconnects before the response is complete. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('The client closed the connection.'));
  });
  return controller.signal;
}

export interface ByteStreamOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** A client that reads nothing for this time is disconnected. */
  readonly stallMs: number;
  /** Called when a chunk has been written to the connection. */
  readonly onSent?: () => void;
}

/**
 * Streams bytes with backpressure. A failure closes the connection, so that the client can detect an incomplete
 * file. The source is always closed. Resolves with whether the client received everything.
 */
export async function streamBytes(
  reply: FastifyReply,
  bytes: AsyncIterable<Uint8Array>,
  { headers, stallMs, onSent }: ByteStreamOptions,
): Promise<boolean> {
  reply.hijack();
  const response = reply.raw;
  try {
    response.writeHead(200, Object.assign(toNodeHeaders(reply), headers));
    for await (const chunk of bytes) {
      if (response.destroyed) return false;
      const isBelowHighWaterMark = response.write(chunk);
      onSent?.();
      if (!isBelowHighWaterMark) await waitFor(response, 'drain', stallMs);
    }
    if (response.destroyed) return false;
    const finished = waitFor(response, 'finish', stallMs);
    response.end();
    return await finished;
  } catch (error) {
    if (response.destroyed) reply.log.debug('client disconnected during the stream');
    else if (error instanceof ApiError && error.status < 500)
      reply.log.info({ code: error.code }, 'stream ended early, connection closed');
    else reply.log.error({ err: error }, 'stream failed, connection closed');
    response.destroy();
    return false;
  }
}

function createStallError(): ApiError {
  return new ApiError('slow_reader', 'The client stopped reading.');
}

/** A stream of one chunk. */
export async function* toByteStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function toNodeHeaders(reply: FastifyReply): Record<string, string | number | string[]> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).filter(
      (entry): entry is [string, string | number | string[]] => entry[1] !== undefined,
    ),
  );
}

/**
 * Resolves with true at the event and with false when the connection closes; rejects when the client stalls. A client that
 * reads slowly does not stall: the event needs free space of the kernel's send buffer, which may take minutes.
 */
function waitFor(response: ServerResponse, event: 'drain' | 'finish', stallMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    if (response.destroyed) return resolve(false);
    const endWatch = watchStall({
      stallMs,
      unreadBytes: async () => (response.socket === null ? undefined : sendQueueBytes(response.socket)),
      onStall: () => done(() => reject(createStallError())),
    });
    const onEvent = () => done(() => resolve(true));
    const onClose = () => done(() => resolve(false));
    function done(finish: () => void): void {
      endWatch();
      response.off(event, onEvent);
      response.off('close', onClose);
      finish();
    }
    response.once(event, onEvent);
    response.once('close', onClose);
  });
}
