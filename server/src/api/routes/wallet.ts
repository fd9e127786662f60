import { createHash } from 'node:crypto';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Caller } from '../../domain/accounts/caller.ts';
import { formatCredit, formatUsd, NANO_PER_USD } from '../../domain/accounts/ledger/money.ts';
import { ApiError } from '../../errors.ts';
import type { ApiDeps } from '../dependencies.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { TimestampSchema, toTimestamp } from '../schemas/money.ts';

/** What clients are shown on a server that takes no money: enough for any check they make. */
const UNLIMITED_NANO = 1_000_000 * NANO_PER_USD;

/** When an empty plan ends; clients insist on a time. */
const NEVER = '9999-12-31T00:00:00.000Z';

const ApiCreditSchema = z
  .object({
    _id: z.string(),
    user_id: z.string(),
    credit: z.string().describe('US dollars, with six decimals. `1000000.000000` where no money is taken.'),
    cumulative_top_up: z.string().describe('US dollars paid in so far.'),
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

const Params = z.object({ user_id: z.string().describe('`self`, or the id of the key’s own account.') });
const config = { scope: 'wallet:read' } as const;
const errors = errorResponses('invalid_api_key', 'insufficient_scope', 'not_yours');

type WalletDeps = Pick<ApiDeps, 'accounting' | 'administration' | 'config'>;

/** The balance, the way clients ask for it. */
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
          check_free_credit: z.string().optional().describe('Accepted for compatibility.'),
          team_id: z.string().optional().describe('Accepted for compatibility.'),
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
        description: 'There are no plans here: always an empty one, for clients that ask.',
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

/** The wire id of the caller's account; refuses any other. */
function ownId({ accountId }: Caller, asked: string): string {
  const own = wireId(accountId);
  if (asked === 'self' || asked === accountId || asked === own) return own;
  throw new ApiError('not_yours', 'This wallet belongs to another account.');
}

/** Clients know ids as 32 hex digits. */
function wireId(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
