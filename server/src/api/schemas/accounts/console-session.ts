import { z } from 'zod';
import { SCOPES } from '../../../domain/accounts/caller.ts';
import { SERVICES } from '../../../domain/accounts/ledger/usage.ts';
import type { StoredSession } from '../../../domain/accounts/sessions/session-store.ts';
import { TimestampSchema, toTimestamp } from './money.ts';

export const LoginSchema = z
  .union([
    z.strictObject({ key: z.string().min(1).max(512).describe('An API key.') }),
    z.strictObject({ link: z.string().min(1).max(128).describe('The token of a login link; works once.') }),
  ])
  .meta({ id: 'Login' });

export const SessionSchema = z
  .object({
    id: z.string(),
    key_id: z.string().describe('The key that the session was opened with.'),
    source: z.string().describe('Network address at login.'),
    user_agent: z.string(),
    created_at: TimestampSchema,
    expires_at: TimestampSchema,
    last_used_at: TimestampSchema.describe('Exact to a minute.'),
    is_current: z.boolean(),
  })
  .meta({ id: 'Session' });

const priceSchema = z.object({}).catchall(z.number());

export const ConsoleStateSchema = z
  .object({
    session: SessionSchema.nullable().describe('Null for a request with an API key.'),
    account: z.object({ id: z.string(), name: z.string() }),
    key: z.object({
      id: z.string(),
      name: z.string(),
      prefix: z.string(),
      scopes: z.array(z.enum(SCOPES)),
    }),
    billing: z.enum(['off', 'prepaid']),
    prices: z
      .object(Object.fromEntries(SERVICES.map((service) => [service, priceSchema])))
      .describe(
        'US dollars per million bytes of text, per hour of audio and per request; `*`: other models.',
      ),
    default_model: z.string(),
    models: z.array(z.string()).describe('The models of `POST /v1/tts`.'),
    voice_refinement: z
      .enum(['automatic', 'on_request'])
      .describe('Whether new clones are refined automatically, or only with `train_mode: full`.'),
    limits: z.object({
      text_max_chars: z.int(),
      asr_upload_max_bytes: z.int(),
      asr_max_seconds: z.number(),
      voice_upload_max_bytes: z.int(),
    }),
    version: z.string(),
  })
  .meta({ id: 'ConsoleState' });

export function toSessionBody(session: StoredSession, currentId: string | undefined) {
  return {
    id: session.id,
    key_id: session.keyId,
    source: session.source,
    user_agent: session.userAgent,
    created_at: toTimestamp(session.createdAtMs),
    expires_at: toTimestamp(session.expiresAtMs),
    last_used_at: toTimestamp(session.lastUsedAtMs),
    is_current: session.id === currentId,
  };
}
