import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.ts';
import type { ApiDeps } from '../dependencies.ts';
import { modelNameOf } from '../wire/request-headers.ts';

/**
 * Rejects, before the body is read, accounts without credit on metered routes, and keys over their rate limit.
 * Runs after authentication: 401 precedes 402, and 402 precedes every error about the body.
 */
export function addLimits(
  app: FastifyInstance,
  { accounting, config }: Pick<ApiDeps, 'accounting' | 'config'>,
): void {
  app.decorateRequest('wallet', undefined);
  app.addHook('onRequest', async (request, reply) => {
    const { caller } = request;
    if (caller === undefined) return;
    const { metering } = request.routeOptions.config;
    if (metering !== undefined) {
      const model = metering.modelOf(modelNameOf(request));
      request.wallet = await accounting.billing.requireCredit(caller, metering.service, model);
    }
    const limit = caller.requestsPerMinute ?? config.keyRequestsPerMinute;
    if (limit === 0) return;
    const rate = await accounting.rates.countRequest(caller.keyId, limit);
    reply.headers({
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': String(rate.remaining),
      'ratelimit-reset': String(Math.ceil(rate.resetSeconds)),
    });
    if (!rate.isAllowed) {
      throw new ApiError('rate_limited', `This API key may send ${limit} requests in a minute.`, {
        retryAfterSeconds: rate.resetSeconds,
      });
    }
  });
}
