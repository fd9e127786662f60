import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.ts';

/** Answers unknown paths with 404, and known paths with an unknown method with 405 and the methods there are. */
export function addNotFound(app: FastifyInstance): void {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replace(/:[a-z_]+/g, '[^/]+')}/?$`);
    routes.push({ pattern, methods: [method].flat() });
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = (request.url.split('?')[0] ?? '').replaceAll(/\/{2,}/g, '/');
    const methods = routes.filter(({ pattern }) => pattern.test(path)).flatMap((route) => route.methods);
    if (methods.length === 0) throw new ApiError('not_found', 'Not Found');
    const allowed = [...new Set(methods)].sort().join(', ');
    reply.header('allow', allowed);
    throw new ApiError('method_not_allowed', `Method Not Allowed. This path takes ${allowed}.`);
  });
}
