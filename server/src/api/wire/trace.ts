import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

export const TRACE_HEADER = 'x-fish-trace-id';

/** W3C trace context; the trace id of zeros is invalid, and so is version ff. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** 32 hex digits: the caller's trace id when there is a valid one, else a new one. */
export function traceIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers.traceparent;
  return (typeof given === 'string' && TRACEPARENT.exec(given)?.[1]) || newTraceId();
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

/** Names the trace id on every answer; in the logs it is the request id. */
export function addTraceHeader(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header(TRACE_HEADER, request.id);
  });
}
