import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.ts';
import type { HttpDeps } from '../http-deps.ts';

/**
 * Lets only callers with a valid key pass, on every route that is not marked open. Runs before the body is
 * read, so that strangers learn nothing about bodies and cost nothing.
 */
export function addAuth(app: FastifyInstance, { keys }: Pick<HttpDeps, 'keys'>): void {
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request) => {
    if (request.is404) return;
    const key = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    request.caller = key === undefined ? undefined : await keys.authenticate(key);
    // Open routes show callers who have a key what is theirs.
    if (request.routeOptions.config.isOpen) return;
    if (request.caller === undefined) throw new ApiError('invalid_api_key', 'Invalid Token');
    const { scope } = request.routeOptions.config;
    if (scope !== undefined && !request.caller.scopes.includes(scope)) {
      throw new ApiError('insufficient_scope', `This API key lacks the scope \`${scope}\`.`);
    }
  });
}
