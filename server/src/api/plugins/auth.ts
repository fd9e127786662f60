import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller, Scope } from '../../domain/accounts/caller.ts';
import type { KeyRefusal } from '../../domain/accounts/keys/api-keys.ts';
import { ApiError } from '../../errors.ts';
import type { ApiDeps } from '../dependencies.ts';
import { keyOf } from '../wire/request-headers.ts';
import { isSameOrigin } from '../wire/same-origin.ts';
import { sessionTokenOf } from '../wire/session-cookie.ts';

type AuthDeps = Pick<ApiDeps, 'keys' | 'sessions' | 'config'>;

/**
 * Requires a valid API key, or a session of the web console, on every route that is not open. Runs before the body is read, so that a request
 * without a key costs nothing and learns nothing about bodies.
 */
export function addAuth(app: FastifyInstance, deps: AuthDeps): void {
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request) => {
    // A probe must work while the database is down, even with a key.
    if (request.is404 || isOpenProbe(request)) return;
    const identity = await identify(request, deps);
    // An open route called with a key also serves the private data of its account.
    if (request.routeOptions.config.isOpen) request.caller = isCaller(identity) ? identity : undefined;
    else request.caller = requireCaller(request, identity, deps);
  });
}

function isOpenProbe({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.isProbe === true && config.isOpen === true;
}

/** The caller at this moment. Throws when the key is no longer valid, or lacks the scope of the route. */
export async function authenticate(request: FastifyRequest, deps: AuthDeps): Promise<Caller> {
  return requireCaller(request, await identify(request, deps), deps);
}

/** A caller, the refusal of a key, or undefined without a key. */
type Identity = Caller | KeyRefusal | undefined;

function isCaller(identity: Identity): identity is Caller {
  return typeof identity === 'object';
}

async function identify(request: FastifyRequest, deps: AuthDeps): Promise<Identity> {
  const key = keyOf(request);
  if (key !== undefined) return deps.keys.identify(key);
  const token = deps.config.console ? sessionTokenOf(request.headers.cookie) : undefined;
  if (token === undefined) return undefined;
  if (isSameOrigin(request.headers)) return deps.sessions.authenticate(token);
  // A link from another site to an open page carries the cookie; the page is served as to a stranger.
  if (request.routeOptions.config.isOpen) return undefined;
  throw new ApiError('cross_site_request', 'A request with a session cookie must come from the web console.');
}

function requireCaller(request: FastifyRequest, identity: Identity, { config }: AuthDeps): Caller {
  if (!isCaller(identity)) throw new ApiError('invalid_api_key', explainRefusal(request, identity, config));
  const { scope } = request.routeOptions.config;
  if (scope !== undefined) requireScope(identity, scope);
  return identity;
}

/** Begins with the message of the public API. */
function explainRefusal(
  { headers }: FastifyRequest,
  refusal: KeyRefusal | undefined,
  config: AuthDeps['config'],
): string {
  if (refusal !== undefined) return `Invalid Token: the API key is ${refusal}.`;
  if (headers.authorization !== undefined)
    return 'Invalid Token: the header `Authorization` is not `Bearer <key>`: a key is sent with `Bearer ` before it.';
  const hint = isLoopback(config.host)
    ? ' The first start printed one and stored it in the file `first-key` of the data folder.'
    : '';
  return `Invalid Token: the request has no API key. Send it as \`Authorization: Bearer <key>\`.${hint}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** Throws `insufficient_scope` unless the key of the caller has the scope. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  throw new ApiError('insufficient_scope', `This API key lacks the scope \`${scope}\`.`);
}
