import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { ApiDeps } from '../dependencies.ts';
import { LivenessSchema, ReadinessSchema, toReadiness } from '../schemas/server/probes.ts';

const config = { isOpen: true, isProbe: true } as const;
const common = { tags: ['server'], security: [] };

/** Probes of orchestrators. They need no key and no database, and are logged at level debug. */
export const probeRoutes: FastifyPluginAsyncZod<Pick<ApiDeps, 'health'>> = async (app, { health }) => {
  app.get(
    '/healthz',
    {
      config,
      schema: {
        ...common,
        operationId: 'getLiveness',
        summary: 'Liveness of the process',
        description:
          'Responds 200 while the process handles requests, also while models load or the database is down.',
        response: { 200: LivenessSchema },
      },
    },
    async () => ({ status: 'ok' as const }),
  );

  app.get(
    '/readyz',
    {
      config,
      schema: {
        ...common,
        operationId: 'getReadyz',
        summary: 'Whether a request would be served now',
        description:
          'Responds 200 when a speech request would be served now, and 503 before, with the failed checks and the progress of the models. Responds 503 `shutting_down` while the server stops.',
        response: { 200: ReadinessSchema, 503: ReadinessSchema },
      },
    },
    async (_request, reply) => {
      const readiness = toReadiness(health());
      return reply.code(readiness.ready ? 200 : 503).send(readiness);
    },
  );
};
