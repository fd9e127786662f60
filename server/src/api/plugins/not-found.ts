import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';

/** Sends a page to a browser. */
export type PageSender = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export type NotFoundHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<never>;

/** Paths of the API. Their errors are JSON for browsers too. */
const API_PATH = /^\/+(v1|compat)\//;

/**
 * Responds 404 to unknown paths, and 405 with the allowed methods to known paths, without reading a body. A browser that
 * opens an unknown path gets the page of `sendPage`, if given. Returns the handler, for groups of routes with their own
 * error format.
 */
export function addNotFound(app: FastifyInstance, sendPage?: PageSender): NotFoundHandler {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replace(/:[a-z_]+/g, '[^/]+')}/?$`);
    routes.push({ pattern, methods: [method].flat() });
  });
  const handleNotFound: NotFoundHandler = async (request, reply) => {
    const path = (request.url.split('?')[0] ?? '').replaceAll(/\/{2,}/g, '/');
    const methods = routes.filter(({ pattern }) => pattern.test(path)).flatMap((route) => route.methods);
    if (methods.length === 0) throw new ApiError('not_found', 'Not Found');
    const allowed = [...new Set(methods)].sort().join(', ');
    reply.header('allow', allowed);
    throw new ApiError('method_not_allowed', `Method Not Allowed. This path takes ${allowed}.`);
  };
  app.setNotFoundHandler(handleNotFound);
  // The handler itself would run after the body was parsed.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return undefined;
    if (sendPage !== undefined && isNavigation(request)) return sendPage(request, reply.code(404));
    return handleNotFound(request, reply);
  });
  return handleNotFound;
}

/** Whether a browser opens the path as a page. Other clients do not ask for HTML. */
export function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  return method === 'GET' && !API_PATH.test(url) && (headers.accept ?? '').includes('text/html');
}
