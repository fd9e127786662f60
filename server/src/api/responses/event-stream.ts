import type { FastifyReply } from 'fastify';
import { errorBody, toApiError } from '../wire/error-handler.ts';
import { streamBytes } from './byte-stream.ts';

/** One server-sent event; its data is sent as JSON. */
export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

/** The headers of an answer that is a stream of events. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies that buffer would hold back what is meant to be seen at once.
  'x-accel-buffering': 'no',
} as const;

/**
 * Sends events as they come. Resolves with whether the client got them all, once it has or has left. What fails after the first
 * event is told as an `error` event, since the status is out by then.
 */
export async function streamEvents(
  reply: FastifyReply,
  events: AsyncIterable<ServerEvent>,
  options: {
    readonly stallMs: number;
    /** Sees the bytes on their way. */
    readonly record?: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  },
): Promise<boolean> {
  const iterator = events[Symbol.asyncIterator]();
  // What is refused before the first event is an error answer like any other.
  const first = await iterator.next();
  const bytes = written(first, iterator, reply);
  return streamBytes(reply, options.record?.(bytes) ?? bytes, {
    stallMs: options.stallMs,
    headers: EVENT_STREAM_HEADERS,
  });
}

async function* written(
  first: IteratorResult<ServerEvent>,
  rest: AsyncIterator<ServerEvent>,
  reply: FastifyReply,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield write(next.value);
  } catch (error) {
    if (reply.raw.destroyed) throw error;
    const known = toApiError(error);
    if (known.status >= 500) reply.log.error({ err: error, code: known.code }, 'event stream failed');
    yield write({ event: 'error', data: { ...errorBody(known), code: known.code } });
  } finally {
    await rest.return?.();
  }
}

function write({ event, data }: ServerEvent): Uint8Array {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
