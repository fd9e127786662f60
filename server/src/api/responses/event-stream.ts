import type { FastifyReply } from 'fastify';
import { errorBody, toApiError } from '../wire/error-handler.ts';
import { streamBytes } from './byte-stream.ts';

/** A server-sent event. Its data is sent as JSON. */
export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

/** The headers of a response of server-sent events. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Disables buffering in proxies.
  'x-accel-buffering': 'no',
} as const;

/**
 * Streams events, and resolves with whether the client received them all. A failure after the first event is sent
 * as an `error` event, because the status has been sent.
 */
export async function streamEvents(
  reply: FastifyReply,
  events: AsyncIterable<ServerEvent>,
  options: {
    readonly stallMs: number;
    /** Wraps the stream of bytes. */
    readonly record?: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  },
): Promise<boolean> {
  const iterator = events[Symbol.asyncIterator]();
  // A failure before the first event is a normal error response.
  const first = await iterator.next();
  const bytes = encodeEvents(first, iterator, reply);
  return streamBytes(reply, options.record?.(bytes) ?? bytes, {
    stallMs: options.stallMs,
    headers: EVENT_STREAM_HEADERS,
  });
}

async function* encodeEvents(
  first: IteratorResult<ServerEvent>,
  rest: AsyncIterator<ServerEvent>,
  reply: FastifyReply,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield encode(next.value);
  } catch (error) {
    if (reply.raw.destroyed) throw error;
    const known = toApiError(error);
    if (known.status >= 500) reply.log.error({ err: error, code: known.code }, 'event stream failed');
    yield encode({ event: 'error', data: { ...errorBody(known), code: known.code } });
  } finally {
    await rest.return?.();
  }
}

function encode({ event, data }: ServerEvent): Uint8Array {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
