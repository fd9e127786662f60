import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller, Scope } from '../../domain/accounts/caller.ts';
import { ApiError } from '../../errors.ts';
import type { ApiDeps } from '../dependencies.ts';
import { keyOf } from '../wire/request-headers.ts';

/**
 * Requires a valid API key on every route that is not open. Runs before the body is read, so that a request
 * without a key costs nothing and learns nothing about bodies.
 */
export function addAuth(app: FastifyInstance, deps: Pick<ApiDeps, 'keys'>): void {
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request) => {
    if (request.is404) return;
    request.caller = await findCaller(request, deps);
    // An open route called with a key also serves the private data of its account.
    if (!request.routeOptions.config.isOpen) assertMayCall(request, request.caller);
  });
}

/** The caller at this moment. Throws when the key is no longer valid, or lacks the scope of the route. */
export async function authenticate(request: FastifyRequest, deps: Pick<ApiDeps, 'keys'>): Promise<Caller> {
  const caller = await findCaller(request, deps);
  assertMayCall(request, caller);
  return caller;
}

async function findCaller(
  request: FastifyRequest,
  { keys }: Pick<ApiDeps, 'keys'>,
): Promise<Caller | undefined> {
  const key = keyOf(request);
  return key === undefined ? undefined : keys.authenticate(key);
}

function assertMayCall(request: FastifyRequest, caller: Caller | undefined): asserts caller is Caller {
  if (caller === undefined) throw new ApiError('invalid_api_key', 'Invalid Token');
  const { scope } = request.routeOptions.config;
  if (scope !== undefined) requireScope(caller, scope);
}

/** Throws `insufficient_scope` unless the key of the caller has the scope. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  throw new ApiError('insufficient_scope', `This API key lacks the scope \`${scope}\`.`);
}
