import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { languageName } from '../../../domain/transcription/language-hint.ts';
import { baseLanguage } from '../../../domain/voices/catalogue/language-tags.ts';
import { LANGUAGES } from '../../../text/piece.ts';
import type { ApiDeps } from '../../dependencies.ts';
import { knownWireModels } from '../../wire/wire-models.ts';

/** Reported to clients that display a character quota. There is no such quota. */
const CHARACTERS_MAX = 1_000_000_000;
const VOICES_MAX = 1000;
const PERIOD = 'monthly_period';

/** `GET /v1/models` and `GET /v1/user` in ElevenLabs' format. Clients call them mostly to test a key. */
export const elevenLabsAccountRoutes: FastifyPluginAsyncZod<
  Pick<ApiDeps, 'config' | 'administration' | 'library'>
> = async (app, { config, administration, library }) => {
  const codes = [...new Set(LANGUAGES.map(baseLanguage))];

  app.get('/v1/models', { config: { keyHeader: 'xi-api-key' }, schema: { hide: true } }, async () => {
    const languages = codes.map((code) => ({ language_id: code, name: languageName(code) }));
    return knownWireModels(config).map((id) => ({
      model_id: id,
      name: id,
      description: '',
      can_be_finetuned: false,
      can_do_text_to_speech: true,
      can_do_voice_conversion: false,
      can_use_style: false,
      can_use_speaker_boost: false,
      serves_pro_voices: false,
      token_cost_factor: 1,
      requires_alpha_access: false,
      max_characters_request_free_user: config.textMaxChars,
      max_characters_request_subscribed_user: config.textMaxChars,
      maximum_text_length_per_request: config.textMaxChars,
      languages,
      model_rates: { character_cost_multiplier: 1 },
      concurrency_group: 'standard',
    }));
  });

  app.get(
    '/v1/user',
    { config: { keyHeader: 'xi-api-key', scope: 'wallet:read' }, schema: { hide: true } },
    async ({ caller }) => {
      const { accountId } = caller;
      const { createdAtMs } = await administration.requireAccount(accountId);
      const own = await library.list({ ownedBy: accountId, tags: [], languages: [] }, 0);
      return {
        user_id: accountId,
        workspace_id: accountId,
        is_new_user: false,
        can_use_delayed_payment_methods: false,
        is_onboarding_completed: true,
        is_onboarding_checklist_completed: true,
        created_at: Math.floor(createdAtMs / 1000),
        seat_type: 'workspace_member',
        subscription: toSubscription(own.total),
      };
    },
  );

  // Neither texts nor audio are kept.
  app.get('/v1/history', { config: { keyHeader: 'xi-api-key' }, schema: { hide: true } }, async () => ({
    history: [],
    last_history_item_id: null,
    has_more: false,
    scanned_until: null,
  }));

  app.get(
    '/v1/user/subscription',
    { config: { keyHeader: 'xi-api-key', scope: 'wallet:read' }, schema: { hide: true } },
    async ({ caller }) => {
      const filter = { ownedBy: caller.accountId, tags: [], languages: [] };
      return toSubscription((await library.list(filter, 0)).total);
    },
  );
};

/** A subscription without limits: there are no character quotas. */
function toSubscription(voiceCount: number) {
  return {
    tier: 'mynah',
    status: 'active',
    character_count: 0,
    character_limit: CHARACTERS_MAX,
    max_credit_limit_extension: 0,
    can_extend_character_limit: false,
    allowed_to_extend_character_limit: false,
    voice_slots_used: voiceCount,
    voice_limit: VOICES_MAX,
    voice_add_edit_counter: 0,
    professional_voice_slots_used: 0,
    professional_voice_slots_used_in_workspace: 0,
    professional_voice_limit: 0,
    can_extend_voice_limit: false,
    can_use_instant_voice_cloning: true,
    can_use_professional_voice_cloning: false,
    currency: 'usd',
    current_overage: { amount: '0', currency: 'usd' },
    billing_period: PERIOD,
    character_refresh_period: PERIOD,
  };
}
