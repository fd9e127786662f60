import type { FastifyInstance } from 'fastify';
import type { ApiDeps } from '../dependencies.ts';

/**
 * Closes the connections of running requests whose key is revoked, expires or loses the scope of the route. Routes of the
 * scope `admin` are exempt, so that a key that revokes itself gets a response, and so are routes without a scope, such
 * as the logout of the web console.
 */
export function addKeyWatch(app: FastifyInstance, { connections }: Pick<ApiDeps, 'connections'>): void {
  app.addHook('onRequest', async ({ caller, ws, routeOptions }, reply) => {
    const { scope, metering } = routeOptions.config;
    const isWatched = metering !== undefined || (scope !== undefined && scope !== 'admin');
    if (caller === undefined || ws || !isWatched) return;
    reply.raw.once(
      'close',
      connections.watch(caller, () => reply.raw.destroy(), scope),
    );
  });
}
