import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { ApiDeps } from '../dependencies.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { HealthSchema, withoutReasons } from '../schemas/server/health.ts';

export const healthRoutes: FastifyPluginAsyncZod<Pick<ApiDeps, 'health'>> = async (app, { health }) => {
  // A probe may send any body.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined);

  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: '/v1/health',
      config: { isOpen: true },
      schema: {
        operationId: method === 'GET' ? 'getHealth' : 'postHealth',
        summary: 'State of the server',
        description:
          'Responds 200 while the process runs, also while models are loading. With a key of the scope `admin`, the reason of a failed model is included.',
        tags: ['server'],
        security: [],
        response: { 200: HealthSchema, ...errorResponses() },
      },
      handler: async ({ caller }) => (caller?.scopes.includes('admin') ? health() : withoutReasons(health())),
    });
  }

  app.get(
    '/v1/health/ready',
    {
      config: { isOpen: true, isProbe: true },
      schema: {
        operationId: 'getReadiness',
        summary: 'Readiness of the server',
        description: 'Responds 200 when a speech request would be served now, and 503 before.',
        tags: ['server'],
        security: [],
        response: { 200: HealthSchema, 503: HealthSchema },
      },
    },
    async (_request, reply) => {
      const report = withoutReasons(health());
      return reply.code(report.ready ? 200 : 503).send(report);
    },
  );
};
