import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { baseLanguage } from '../../domain/voices/catalogue/language-tags.ts';
import { VOICE_DESIGN } from '../../domain/voices/design/voice-description.ts';
import { ApiError } from '../../errors.ts';
import { IDEMPOTENCY_ERRORS } from '../metering/idempotent-request.ts';
import { meterVoiceDesign, type VoiceDesignDeps } from '../metering/metered-voice-design.ts';
import { errorResponses } from '../schemas/error-body.ts';
import {
  toVoiceDesignResponse,
  VoiceDesignRequestSchema,
  VoiceDesignResponseSchema,
} from '../schemas/voices/voice-design.ts';

/** Voice design from descriptions. */
export const voiceDesignRoutes: FastifyPluginAsyncZod<VoiceDesignDeps> = async (app, deps) => {
  app.post(
    '/v1/voice-design',
    {
      config: { scope: 'tts', metering: { service: 'voice_design', modelOf: () => VOICE_DESIGN } },
      preParsing: async (request) => {
        if (request.mediaType === 'application/json') return;
        throw new ApiError('unsupported_media_type', 'Unsupported content type. Send `application/json`.');
      },
      schema: {
        operationId: 'designVoice',
        summary: 'Design voices from a description',
        description:
          'Returns candidates that belong to no real person. To store one, send its WAV file and its signature to `POST /model`. Charged per request whose response is sent. A `reference_text` is charged in addition, like speech, once for each candidate.',
        tags: ['voices'],
        headers: z.looseObject({
          model: z.string().optional().describe(`Ignored: always \`${VOICE_DESIGN}\`.`),
        }),
        body: VoiceDesignRequestSchema,
        response: {
          200: VoiceDesignResponseSchema,
          ...errorResponses(
            'invalid_request',
            'invalid_body',
            'language_not_supported',
            'nothing_to_speak',
            'invalid_api_key',
            'insufficient_balance',
            'spend_cap_reached',
            'insufficient_scope',
            'body_too_large',
            'unsupported_media_type',
            'concurrency_exceeded',
            'rate_limited',
            'queue_full',
            'cloning_unavailable',
            'engine_failed',
            'engine_unavailable',
            ...IDEMPOTENCY_ERRORS,
          ),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const { language } = body;
      if (language && baseLanguage(language.trim()) !== 'en') {
        throw new ApiError('language_not_supported', 'Voices are designed for English only.');
      }
      await meterVoiceDesign(
        deps,
        { request, reply },
        {
          design: {
            instruction: body.instruction,
            text: body.reference_text || undefined,
            count: body.n ?? 2,
            speed: body.speed ?? 1,
            seed: body.seed ?? undefined,
          },
          content: [body],
          write: (design) => toVoiceDesignResponse(design, body.instruction),
        },
      );
    },
  );
};
