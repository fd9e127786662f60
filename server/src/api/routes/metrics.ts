import type { FastifyInstance } from 'fastify';
import type { ApiDeps } from '../dependencies.ts';

/** Metrics for Prometheus, for keys with the scope `metrics`. */
export async function metricsRoutes(
  app: FastifyInstance,
  { metrics }: Pick<ApiDeps, 'metrics'>,
): Promise<void> {
  if (metrics === undefined) return;
  app.get(
    '/metrics',
    { config: { scope: 'metrics', isProbe: true }, schema: { hide: true } },
    async (request, reply) => {
      const { contentType, body } = await metrics.render(request.headers.accept);
      return reply.type(contentType).header('cache-control', 'no-store').send(body);
    },
  );
}
