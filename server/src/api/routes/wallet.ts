import { createHash } from 'node:crypto';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Caller } from '../../domain/accounts/caller.ts';
import { formatCredit, formatUsd, NANO_PER_USD } from '../../domain/accounts/ledger/money.ts';
import { ApiError } from '../../errors.ts';
import type { ApiDeps } from '../dependencies.ts';
import { TimestampSchema, toTimestamp } from '../schemas/accounts/money.ts';
import { errorResponses } from '../schemas/error-body.ts';

/** The credit shown without billing: enough for any check of a client. */
const UNLIMITED_NANO = 1_000_000 * NANO_PER_USD;

/** The end of the empty plan. Clients require a time. */
const NEVER = '9999-12-31T00:00:00.000Z';

const ApiCreditSchema = z
  .object({
    _id: z.string(),
    user_id: z.string(),
    credit: z.string().describe('US dollars, with six decimals. `1000000.000000` without billing.'),
    cumulative_top_up: z.string().describe('US dollars topped up so far.'),
    created_at: TimestampSchema,
    updated_at: TimestampSchema,
    has_phone_sha256: z.boolean(),
    has_free_credit: z.boolean().nullable(),
  })
  .meta({ id: 'ApiCredit' });

const PackageSchema = z
  .object({
    _id: z.string(),
    user_id: z.string(),
    type: z.string(),
    total: z.int(),
    balance: z.int(),
    created_at: TimestampSchema,
    updated_at: TimestampSchema,
    finished_at: TimestampSchema,
  })
  .meta({ id: 'Package' });

const Params = z.object({ user_id: z.string().describe('`self`, or the id of the account of the key.') });
const config = { scope: 'wallet:read' } as const;
const errors = errorResponses('invalid_api_key', 'insufficient_scope', 'not_yours');

type WalletDeps = Pick<ApiDeps, 'accounting' | 'administration' | 'config'>;

/** The balance of the account, in the format of the public API. */
export const walletRoutes: FastifyPluginAsyncZod<WalletDeps> = async (
  app,
  { accounting, administration, config: settings },
) => {
  app.get(
    '/wallet/:user_id/api-credit',
    {
      config,
      schema: {
        operationId: 'getApiCredit',
        summary: 'Credit of the account',
        tags: ['wallet'],
        params: Params,
        querystring: z.object({
          check_free_credit: z.string().optional().describe('Accepted and ignored.'),
          team_id: z.string().optional().describe('Accepted and ignored.'),
        }),
        response: { 200: ApiCreditSchema, ...errors },
      },
    },
    async ({ caller, params }) => {
      const userId = ownId(caller, params.user_id);
      const { createdAtMs } = await administration.requireAccount(caller.accountId);
      const wallet = await accounting.ledger.wallet(caller.accountId);
      const creditNano = settings.billing === 'prepaid' ? wallet.availableNano : UNLIMITED_NANO;
      return {
        _id: wireId(`wallet ${caller.accountId}`),
        user_id: userId,
        credit: formatCredit(creditNano),
        cumulative_top_up: formatUsd(wallet.toppedUpNano),
        created_at: toTimestamp(createdAtMs),
        updated_at: toTimestamp(wallet.updatedAtMs || createdAtMs),
        has_phone_sha256: false,
        has_free_credit: false,
      };
    },
  );

  app.get(
    '/wallet/:user_id/package',
    {
      config,
      schema: {
        operationId: 'getPackage',
        summary: 'Plan of the account',
        description: 'This server has no plans: always returns an empty one.',
        tags: ['wallet'],
        params: Params,
        response: { 200: PackageSchema, ...errors },
      },
    },
    async ({ caller, params }) => {
      const userId = ownId(caller, params.user_id);
      const { createdAtMs } = await administration.requireAccount(caller.accountId);
      const createdAt = toTimestamp(createdAtMs);
      return {
        _id: wireId(`package ${caller.accountId}`),
        user_id: userId,
        type: 'free',
        total: 0,
        balance: 0,
        created_at: createdAt,
        updated_at: createdAt,
        finished_at: NEVER,
      };
    },
  );
};

/** The wire id of the caller's account. Throws `not_yours` for any other id. */
function ownId({ accountId }: Caller, requested: string): string {
  const own = wireId(accountId);
  if (requested === 'self' || requested === accountId || requested === own) return own;
  throw new ApiError('not_yours', 'This wallet belongs to another account.');
}

/** An id of 32 hex digits, as clients expect. */
function wireId(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
