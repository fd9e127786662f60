import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isTracing, runInSpan, type Span, startSpan } from '../../tracing/tracing.ts';

/** Receives every finished request. */
export interface RequestObserver {
  requestFinished(request: {
    readonly method: string;
    /** Template of the route; `unknown` for paths without a route. */
    readonly route: string;
    readonly status: number;
    /** Stable code of an error response. */
    readonly errorCode: string | undefined;
    /** Undefined for WebSockets, whose duration is that of a session. */
    readonly seconds: number | undefined;
  }): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request was received, by the monotonic clock. */
    receivedAtMs: number;
    /** The span of the request while traces are on. */
    span: Span | undefined;
  }
}

/** Measures every request, and begins its span. Add it before the other hooks, so that they are part of both. */
export function addTelemetry(
  app: FastifyInstance,
  { metrics }: { readonly metrics?: RequestObserver | undefined },
): void {
  app.decorateRequest('receivedAtMs', 0);
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    request.receivedAtMs = performance.now();
    if (isTracing() && !request.routeOptions.config.isProbe) request.span = startRequestSpan(request);
    // `close` also follows a response that the client did not read to its end.
    reply.raw.once('close', () => finish(request, reply, metrics));
    inSpan(request, done);
  });
  // The parser of a body calls the later hooks from events of the socket, which belong to no request.
  app.addHook('preValidation', (request, _reply, done) => inSpan(request, done));
}

function inSpan({ span }: FastifyRequest, work: () => void): void {
  if (span === undefined) work();
  else runInSpan(span, work);
}

function startRequestSpan(request: FastifyRequest): Span {
  const { method, id: traceId, headers } = request;
  const route = routeOf(request);
  return startSpan(`${method} ${route}`, {
    root: { traceId, traceparent: typeof headers.traceparent === 'string' ? headers.traceparent : undefined },
    attributes: { 'http.request.method': method, 'http.route': route },
  });
}

function finish(request: FastifyRequest, reply: FastifyReply, metrics: RequestObserver | undefined): void {
  const { method, span } = request;
  const status = request.ws && !reply.raw.headersSent ? 101 : reply.statusCode;
  const code = reply.getHeader('x-fish-error-code');
  const errorCode = typeof code === 'string' ? code : undefined;
  metrics?.requestFinished({
    method,
    route: routeOf(request),
    status,
    errorCode,
    seconds: request.ws ? undefined : (performance.now() - request.receivedAtMs) / 1000,
  });
  span?.setAttributes({
    'http.response.status_code': status,
    'mynah.response.complete': reply.raw.writableFinished,
  });
  if (status >= 500) span?.fail({ code: errorCode });
  span?.end();
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unknown';
}
