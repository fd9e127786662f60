import type { FastifyInstance } from 'fastify';
import type { ApiConfig } from '../dependencies.ts';

const EXPOSED = [
  'x-fish-trace-id',
  'x-fish-error-code',
  'x-fish-error-source',
  'x-request-id',
  'retry-after',
  'location',
];
const EXPOSED_MYNAH = ['x-mynah-model', 'x-mynah-engine', 'x-mynah-voice', 'x-mynah-cost', 'x-mynah-warning'];

/** Adds CORS headers for the configured origins. */
export function addCors(app: FastifyInstance, { corsOrigins }: Pick<ApiConfig, 'corsOrigins'>): void {
  if (corsOrigins.length === 0) return;
  const isAnyAllowed = corsOrigins.includes('*');
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    reply.header('vary', 'origin');
    if (origin === undefined || !(isAnyAllowed || corsOrigins.includes(origin))) return;
    reply.header('access-control-allow-origin', isAnyAllowed ? '*' : origin);
    reply.header('access-control-expose-headers', [...EXPOSED, ...EXPOSED_MYNAH].join(', '));
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return;
    // A preflight request carries no key, so it is answered before authentication.
    return reply
      .code(204)
      .header('access-control-allow-methods', 'GET, POST, PATCH, DELETE')
      .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
      .header('access-control-max-age', '86400')
      .send();
  });
}
