import type { FastifyInstance } from 'fastify';

/** One line per request: what was asked and how it went. Never a text, a query, a body or a key. */
export function addAccessLog(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
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
