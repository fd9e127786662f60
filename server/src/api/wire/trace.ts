import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

export const TRACE_HEADER = 'x-fish-trace-id';
/** The same id for clients of OpenAI. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** W3C trace context. A trace id of zeros and version ff are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace id of a request, 32 hex digits: from a valid `traceparent`, else a new one. */
export function traceIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers.traceparent;
  return (typeof given === 'string' && TRACEPARENT.exec(given)?.[1]) || newTraceId();
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

/** Adds the trace id to every response; in the logs it is the request id. */
export function addTraceHeader(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header(TRACE_HEADER, request.id).header(REQUEST_ID_HEADER, request.id);
  });
}
