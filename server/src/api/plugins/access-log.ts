import type { FastifyInstance } from 'fastify';

/** Logs one line per request, at level debug for probes and scrapes. It never contains text, a query, a body or a key. */
export function addAccessLog(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const level = request.routeOptions.config.isProbe ? 'debug' : 'info';
    request.log[level](
      {
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        code: reply.getHeader('x-fish-error-code'),
        isComplete: reply.raw.writableFinished,
        durationMs: Math.round(reply.elapsedTime),
      },
      'request finished',
    );
  });
}
