import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller, Scope } from '../../domain/accounts/caller.ts';
import { ApiError } from '../../errors.ts';
import type { ApiDeps } from '../dependencies.ts';
import { keyOf } from '../wire/request-headers.ts';

/**
 * Lets only callers with a valid key pass, on every route that is not marked open. Runs before the body is
 * read, so that strangers learn nothing about bodies and cost nothing.
 */
export function addAuth(app: FastifyInstance, deps: Pick<ApiDeps, 'keys'>): void {
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request) => {
    if (request.is404) return;
    request.caller = await callerOf(request, deps);
    // Open routes show callers who have a key what is theirs.
    if (!request.routeOptions.config.isOpen) assertMayCall(request, request.caller);
  });
}

/** Who asks now. Throws when the key is not valid any more, or not for this route. */
export async function authenticate(request: FastifyRequest, deps: Pick<ApiDeps, 'keys'>): Promise<Caller> {
  const caller = await callerOf(request, deps);
  assertMayCall(request, caller);
  return caller;
}

async function callerOf(
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

/** Refuses keys that may not do this. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  throw new ApiError('insufficient_scope', `This API key lacks the scope \`${scope}\`.`);
}
