import { z } from 'zod';
import type { CreatedKey, CreateKeyInput } from '../../domain/accounts/keys/api-keys.ts';
import type { Idempotency } from '../../domain/accounts/limits/idempotency.ts';
import { type NewOwnKeySchema, toKeyBody } from '../schemas/accounts/account.ts';
import { createIdempotently, type Exchange } from './idempotent-request.ts';

export const KeyParams = z.object({ id: z.string().max(128).describe('The id or the prefix of the key.') });

/** Name, scopes and limits of a new key. */
export function keyInputOf(
  body: z.output<typeof NewOwnKeySchema>,
): Pick<CreateKeyInput, 'name' | 'scopes' | 'expiresAtMs' | 'spendCapNano' | 'requestsPerMinute'> {
  return {
    name: body.name,
    scopes: body.scopes,
    expiresAtMs: body.expires_at ?? undefined,
    spendCapNano: body.spend_cap ?? undefined,
    requestsPerMinute: body.requests_per_minute ?? undefined,
  };
}

/**
 * Responds with a new key. The key is in this response only and is not stored. `create` gets the id of the new key if
 * the request has an `Idempotency-Key`, so that a repeated request creates no second one.
 */
export async function respondWithNewKey(
  idempotency: Idempotency,
  exchange: Exchange,
  create: (id: string | undefined) => Promise<CreatedKey>,
): Promise<void> {
  await createIdempotently(idempotency, exchange, { status: 201, isSecret: true }, async (attempt) => {
    const created = await create(attempt && `key_${attempt.resourceId}`);
    return { ...toKeyBody(created), key: created.key };
  });
}
