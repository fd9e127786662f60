import { z } from 'zod';
import { SCOPES } from '../../../domain/accounts/caller.ts';
import type { KeyInfo } from '../../../domain/accounts/keys/api-keys.ts';
import type { AccountChange, StoredAccount } from '../../../domain/accounts/keys/key-store.ts';
import type { Wallet } from '../../../domain/accounts/ledger/ledger.ts';
import { formatUsd } from '../../../domain/accounts/ledger/money.ts';
import { TimeInputSchema, TimestampSchema, toTimestamp, UsdSchema, usdInput } from './money.ts';

const name = z.string().trim().min(1).max(200);
const members = z.array(name).max(1000).describe('Names of its members.');
const concurrencyMax = z.int().min(1).max(100_000).nullable();
const watermark = z
  .boolean()
  .describe('Whether its speech is watermarked; `mynah watermark detect` then identifies the account.');

export const WalletSchema = z
  .object({ available: UsdSchema, held: UsdSchema, spent: UsdSchema, topped_up: UsdSchema })
  .meta({ id: 'Wallet', description: 'US dollars, exact.' });

export const AccountSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    members: z.array(z.string()),
    concurrency_max: z.int().nullable().describe('Concurrency limit; null: the limit of the tier.'),
    watermark: z.boolean().describe('Whether its speech is watermarked.'),
    wallet: WalletSchema,
    created_at: TimestampSchema,
    deleted_at: TimestampSchema.nullable(),
  })
  .meta({ id: 'Account' });

export const NewAccountSchema = z
  .strictObject({
    name,
    members: members.default([]),
    concurrency_max: concurrencyMax.default(null),
    watermark: watermark.default(false),
  })
  .meta({ id: 'NewAccount' });

export const AccountChangeSchema = z
  .strictObject({ name, members, concurrency_max: concurrencyMax, watermark })
  .partial()
  .meta({ id: 'AccountChange' });

export const CreditSchema = z
  .strictObject({
    kind: z.enum(['top_up', 'adjustment', 'refund']),
    usd: usdInput({ mayBeNegative: true }),
    id: z
      .string()
      .regex(/^[\w.:-]{1,128}$/)
      .optional()
      .describe(
        'Chosen by the client: requests with the same id make one transfer. Default: the `Idempotency-Key`, if any.',
      ),
    memo: z.string().max(500).default('').describe('Reason, for the statement.'),
  })
  .meta({ id: 'Credit', description: 'Only an adjustment may be negative.' });

const scopes = z.array(z.enum(SCOPES)).max(SCOPES.length);
const requestsPerMinute = z.int().min(1).max(1_000_000).nullable();

export const KeySchema = z
  .object({
    id: z.string(),
    account_id: z.string(),
    name: z.string(),
    prefix: z.string().describe('The public prefix of the key.'),
    scopes: z.array(z.string()),
    spend_cap: UsdSchema.nullable().describe('Maximum total spend.'),
    requests_per_minute: z.int().nullable(),
    created_at: TimestampSchema,
    expires_at: TimestampSchema.nullable(),
    revoked_at: TimestampSchema.nullable(),
    last_used_at: TimestampSchema.nullable(),
  })
  .meta({ id: 'ApiKey' });

export const CreatedKeySchema = KeySchema.extend({
  key: z.string().describe('The key. It is not shown again.'),
}).meta({ id: 'CreatedApiKey' });

export const NewKeySchema = z
  .strictObject({
    account_id: z.string(),
    name,
    scopes: scopes.optional().describe('Default: all except `keys:write`, `metrics` and `admin`.'),
    expires_at: TimeInputSchema.nullable().default(null),
    spend_cap: usdInput().nullable().default(null),
    requests_per_minute: requestsPerMinute.default(null),
  })
  .meta({ id: 'NewApiKey' });

export const NewOwnKeySchema = NewKeySchema.omit({ account_id: true })
  .extend({
    scopes: scopes.optional().describe('Default: those of the calling key, except `keys:write`.'),
  })
  .meta({ id: 'NewOwnApiKey' });

const GRACE_SECONDS_MAX = 365 * 86_400;
export const RotationSchema = z
  .strictObject({
    grace_seconds: z
      .int()
      .min(0)
      .max(GRACE_SECONDS_MAX)
      .default(3600)
      .describe('How long the old key remains valid.'),
  })
  .meta({ id: 'Rotation' });

export const KeyChangeSchema = z
  .strictObject({
    name,
    scopes,
    expires_at: TimeInputSchema.nullable(),
    spend_cap: usdInput().nullable(),
    requests_per_minute: requestsPerMinute,
  })
  .partial()
  .meta({ id: 'ApiKeyChange' });

export function toAccountBody(account: StoredAccount, wallet: Wallet): z.output<typeof AccountSchema> {
  return {
    id: account.id,
    name: account.name,
    members: [...account.members],
    concurrency_max: account.concurrencyMax ?? null,
    watermark: account.isWatermarked,
    wallet: {
      available: formatUsd(wallet.availableNano),
      held: formatUsd(wallet.heldNano),
      spent: formatUsd(wallet.spentNano),
      topped_up: formatUsd(wallet.toppedUpNano),
    },
    created_at: toTimestamp(account.createdAtMs),
    deleted_at: account.deletedAtMs === undefined ? null : toTimestamp(account.deletedAtMs),
  };
}

export function toAccountChange(change: z.output<typeof AccountChangeSchema>): AccountChange {
  const { name, members, concurrency_max, watermark } = change;
  return {
    ...(name !== undefined && { name }),
    ...(members !== undefined && { members }),
    ...(concurrency_max !== undefined && { concurrencyMax: concurrency_max ?? undefined }),
    ...(watermark !== undefined && { isWatermarked: watermark }),
  };
}

export function toKeyBody(key: KeyInfo): z.output<typeof KeySchema> {
  const time = (ms: number | undefined) => (ms === undefined ? null : toTimestamp(ms));
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    scopes: [...key.scopes],
    spend_cap: key.spendCapNano === undefined ? null : formatUsd(key.spendCapNano),
    requests_per_minute: key.requestsPerMinute ?? null,
    created_at: toTimestamp(key.createdAtMs),
    expires_at: time(key.expiresAtMs),
    revoked_at: time(key.revokedAtMs),
    last_used_at: time(key.lastUsedAtMs),
  };
}
