import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { VERSION } from '../../config/package-info.ts';
import type { Caller } from '../../domain/accounts/caller.ts';
import { mergedPrices } from '../../domain/accounts/ledger/prices.ts';
import type { OpenedSession } from '../../domain/accounts/sessions/sessions.ts';
import { ApiError } from '../../errors.ts';
import type { ApiDeps } from '../dependencies.ts';
import {
  ConsoleStateSchema,
  LoginSchema,
  SessionSchema,
  toSessionBody,
} from '../schemas/accounts/console-session.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { isCrossSite } from '../wire/same-origin.ts';
import { expiredSessionCookies, sessionCookie, sessionTokenOf } from '../wire/session-cookie.ts';
import { knownWireModels } from '../wire/wire-models.ts';

const tags = ['console'];
/** Every key may use these routes; the object gives `request.caller` its type. */
const config = {} as const;
const KEY_ERRORS = ['invalid_api_key', 'cross_site_request'] as const;

type Deps = Pick<ApiDeps, 'sessions' | 'administration' | 'keys' | 'library' | 'config'>;

/** Login, logout and list of the sessions of the web console. */
export const consoleSessionRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const { sessions, config: settings } = deps;

  app.post(
    '/v1/console/session',
    {
      config: { isOpen: true },
      schema: {
        operationId: 'openSession',
        summary: 'Log in to the web console',
        description:
          'Sets a session cookie. The session has the scopes and limits of the key and ends with it. Ten failed logins from one address within ten minutes are followed by 429, and so are 200 logins with one key.',
        tags,
        security: [],
        body: LoginSchema,
        response: {
          201: SessionSchema,
          ...errorResponses(
            'invalid_request',
            'invalid_body',
            'unsupported_media_type',
            'invalid_api_key',
            'invalid_login_link',
            'cross_site_request',
            'not_found',
            'too_many_logins',
          ),
        },
      },
    },
    async (request, reply) => {
      if (!settings.console) throw new ApiError('not_found', 'The web console is off.');
      if (isCrossSite(request.headers)) {
        throw new ApiError('cross_site_request', 'A page of another site cannot log in.');
      }
      const client = { source: request.ip, userAgent: request.headers['user-agent'] ?? '' };
      const opened = await sessions.open(request.body, client);
      setCookie(request, reply, opened);
      return reply.code(201).send(toSessionBody(opened.session, opened.session.id));
    },
  );

  app.get(
    '/v1/console/session',
    {
      config,
      schema: {
        operationId: 'getConsoleState',
        summary: 'The session, its account, and what the web console needs to know of the server',
        description: 'Replaces a session cookie that is older than an hour.',
        tags,
        response: { 200: ConsoleStateSchema, ...errorResponses(...KEY_ERRORS) },
      },
    },
    async (request, reply) => {
      const token = request.caller.sessionId && sessionTokenOf(request.headers.cookie);
      const rotated = token ? await sessions.rotate(token) : undefined;
      if (rotated !== undefined) setCookie(request, reply, rotated);
      reply.header('cache-control', 'no-store');
      return describeState(request.caller, deps);
    },
  );

  app.delete(
    '/v1/console/session',
    {
      config,
      schema: {
        operationId: 'closeSession',
        summary: 'Log out of the web console',
        description: 'Ends the session of the cookie. Send it without an API key.',
        tags,
        response: { 204: z.undefined(), ...errorResponses(...KEY_ERRORS, 'session_not_found') },
      },
    },
    async ({ caller, ip }, reply) => {
      await sessions.revoke(caller.sessionId ?? '', caller, ip);
      return reply.code(204).header('set-cookie', expiredSessionCookies()).send(undefined);
    },
  );

  app.get(
    '/v1/console/sessions',
    {
      config,
      schema: {
        operationId: 'listSessions',
        summary: 'List the sessions of the account',
        description:
          'A key without the scope `keys:write` or `admin` sees only sessions that were opened with it.',
        tags,
        response: { 200: z.object({ items: z.array(SessionSchema) }), ...errorResponses(...KEY_ERRORS) },
      },
    },
    async ({ caller }) => ({
      items: (await sessions.list(caller)).map((session) => toSessionBody(session, caller.sessionId)),
    }),
  );

  app.delete(
    '/v1/console/sessions/:id',
    {
      config,
      schema: {
        operationId: 'revokeSession',
        summary: 'End a session of the account',
        description:
          'Takes effect within a second; its live connections are closed. A key without the scope `keys:write` or `admin` may end only sessions that were opened with it.',
        tags,
        params: z.object({ id: z.string().max(128) }),
        response: { 204: z.undefined(), ...errorResponses(...KEY_ERRORS, 'session_not_found') },
      },
    },
    async ({ caller, params, ip }, reply) => {
      await sessions.revoke(params.id, caller, ip);
      return reply.code(204).send(undefined);
    },
  );
};

function setCookie(request: FastifyRequest, reply: FastifyReply, { session, token }: OpenedSession): void {
  const { origin, cookie } = request.headers;
  // A same-origin GET has no `Origin`; the name of its cookie says whether the login was secure.
  const isSecure = cookie?.includes('__Host-mynah-session=') && origin === undefined;
  const maxAgeSeconds = (session.expiresAtMs - Date.now()) / 1000;
  reply
    .header('set-cookie', sessionCookie(token, { origin: isSecure ? 'https://' : origin, maxAgeSeconds }))
    .header('cache-control', 'no-store');
}

async function describeState(caller: Caller, { sessions, administration, keys, library, config }: Deps) {
  const { name } = await administration.requireAccount(caller.accountId);
  const session = caller.sessionId
    ? (await sessions.list(caller)).find(({ id }) => id === caller.sessionId)
    : undefined;
  const key = await keys.find(caller.keyId);
  return {
    session: session === undefined ? null : toSessionBody(session, caller.sessionId),
    account: { id: caller.accountId, name },
    key: { id: caller.keyId, name: key?.name ?? '', prefix: key?.prefix ?? '', scopes: [...caller.scopes] },
    billing: config.billing,
    prices: mergedPrices(config.prices),
    default_model: config.defaultModel,
    models: [...knownWireModels(config)],
    voice_refinement: library.refinementMode,
    limits: {
      text_max_chars: config.textMaxChars,
      asr_upload_max_bytes: config.asrUploadMaxBytes,
      asr_max_seconds: config.asrMaxSeconds,
      voice_upload_max_bytes: config.voiceUploadMaxBytes,
    },
    version: VERSION,
  };
}
