import { z } from 'zod';
import { PriceListSchema } from '../../domain/accounts/ledger/prices.ts';
import type { Setting } from '../setting.ts';
import { boolean, integer, json } from '../setting-types.ts';

/** Keys, prices, concurrency and idempotency. */
export const ACCOUNTS_SETTINGS = {
  openMode: {
    env: 'MYNAH_OPEN_MODE',
    schema: boolean().default(false),
    description:
      'Accepts every bearer token as the name of a tenant. Only for servers that no untrusted client can reach.',
  },
  billing: {
    env: 'MYNAH_BILLING',
    schema: z.enum(['off', 'prepaid']).default('off'),
    description:
      '`prepaid`: requests are charged to the credit of the account and refused with 402 without credit. `off`: requests are free. Usage is recorded in both modes.',
  },
  prices: {
    env: 'MYNAH_PRICES',
    schema: json(PriceListSchema).default({}),
    description:
      'Prices that differ from the default price list, as a JSON object such as `{"tts": {"*": 15, "s1": 10}, "asr": {"*": 0.36}}`. Units: US dollars per million bytes of text, per hour of audio, and (`voice_design`) per request. `*` applies to every model without a price of its own here.',
  },
  holdSeconds: {
    env: 'MYNAH_HOLD_SECONDS',
    schema: integer(3, 86_400).default(300),
    description:
      'Duration of a hold on credit, in seconds. The hold of a server that has died is released after this time.',
  },
  keyRequestsPerMinute: {
    env: 'MYNAH_KEY_REQUESTS_PER_MINUTE',
    schema: integer(0, 1_000_000).default(0),
    description:
      'Rate limit per API key, in requests per minute. A limit set for a key takes precedence. 0: no limit.',
  },
  concurrencyTiers: {
    env: 'MYNAH_CONCURRENCY_TIERS',
    schema: json(z.record(z.string().regex(/^\d+$/), z.int().min(1))).default({ 0: 5, 100: 15, 1000: 50 }),
    description:
      'Concurrency limit of an account by the US dollars it has paid in, as a JSON object. Applies with prepaid billing. A limit set for an account takes precedence.',
  },
  concurrencyMax: {
    env: 'MYNAH_CONCURRENCY_MAX',
    schema: integer(1, 100_000).default(256),
    description: 'Concurrency limit of an account with billing off.',
  },
  socketsMax: {
    env: 'MYNAH_SOCKETS_MAX',
    schema: integer(1, 100_000).default(64),
    description: 'Maximum number of open live connections per account.',
  },
  idempotencyHours: {
    env: 'MYNAH_IDEMPOTENCY_HOURS',
    schema: integer(1, 720).default(24),
    description: 'Retention of idempotency keys in hours.',
  },
  idempotencyBodyMaxBytes: {
    env: 'MYNAH_IDEMPOTENCY_BODY_MAX_BYTES',
    schema: integer(0, 268_435_456).default(8 * 1024 * 1024),
    description: 'Maximum size of a response that is stored for its `Idempotency-Key`, in bytes.',
  },
  idempotencyCacheMaxBytes: {
    env: 'MYNAH_IDEMPOTENCY_CACHE_MAX_BYTES',
    schema: integer(0, 1_099_511_627_776).default(256 * 1024 * 1024),
    description: 'Maximum total size of stored responses, in bytes. The oldest are removed first.',
  },
  idempotencyAccountMaxBytes: {
    env: 'MYNAH_IDEMPOTENCY_ACCOUNT_MAX_BYTES',
    schema: integer(0, 1_099_511_627_776).default(64 * 1024 * 1024),
    description:
      'Maximum total size of the stored responses of an account, in bytes. The oldest are removed first.',
  },
  idempotencyKeysMax: {
    env: 'MYNAH_IDEMPOTENCY_KEYS_MAX',
    schema: integer(1, 1_000_000).default(10_000),
    description: 'Maximum number of retained idempotency keys per account. Above it: 429.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
