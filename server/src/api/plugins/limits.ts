import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.ts';
import type { ApiDeps } from '../dependencies.ts';
import { modelNameOf } from '../wire/request-headers.ts';

/**
 * Refuses, before the body is read, callers without credit on routes that sell something, and keys that ask
 * too often. Runs after the key is known: 401 comes before 402, and 402 before everything about the body.
 */
export function addLimits(
  app: FastifyInstance,
  { accounting, config }: Pick<ApiDeps, 'accounting' | 'config'>,
): void {
  app.decorateRequest('wallet', undefined);
  app.addHook('onRequest', async (request, reply) => {
    const { caller } = request;
    if (caller === undefined) return;
    const { sells } = request.routeOptions.config;
    if (sells !== undefined) {
      const model = sells.modelOf(modelNameOf(request));
      request.wallet = await accounting.till.openWallet(caller, sells.service, model);
    }
    const limit = caller.requestsPerMinute ?? config.keyRequestsPerMinute;
    if (limit === 0) return;
    const rate = accounting.rates.take(caller.keyId, limit);
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
