import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { parseLanguageHint } from '../../../domain/transcription/language-hint.ts';
import { serveLiveTranscription, type TranscriptionSocketDeps } from '../../websocket/serve-transcription.ts';
import { resolveElevenLabsTranscriptionModel } from '../model-names.ts';
import { rejectNativeOptions } from '../native-options.ts';
import { COMMIT_STRATEGIES, ElevenLabsTranscriptionProtocol } from './live-transcription-protocol.ts';
import { toLanguageTag } from './settings.ts';

const unsupported = (field: string) => z.undefined(`\`${field}\` is not supported`).optional();

const LiveTranscriptionQuery = z.object({
  model_id: z.string().default('scribe_v2_realtime'),
  audio_format: z
    .string()
    .regex(/^pcm_\d+$/, 'audio_format must be pcm_ and a sample rate, such as pcm_16000')
    .default('pcm_16000'),
  commit_strategy: z.enum(COMMIT_STRATEGIES).default('manual'),
  language_code: z.string().optional(),
  keyterms: z
    .union([z.string().max(1000), z.array(z.string().max(1000)).max(1000)])
    .transform((terms) => [terms].flat())
    .optional(),
  entity_detection: unsupported('entity_detection'),
  transcript_edit: unsupported('transcript_edit'),
  no_verbatim: z.literal('false', '`no_verbatim` is not supported').optional(),
});

/** ElevenLabs' `WS /v1/speech-to-text/realtime`. */
export const elevenLabsLiveTranscriptionRoutes: FastifyPluginAsyncZod<TranscriptionSocketDeps> = async (
  app,
  deps,
) => {
  app.get(
    '/v1/speech-to-text/realtime',
    {
      websocket: true,
      config: {
        isWebSocket: true,
        keyHeader: 'xi-api-key',
        keyQuery: 'api_key',
        scope: 'asr',
        metering: { service: 'asr', modelOf: () => 'transcribe-1' },
      },
      schema: { hide: true, querystring: LiveTranscriptionQuery },
      // Invalid parameters are rejected with an HTTP status before the upgrade.
      preHandler: async (request) => {
        const { model_id, language_code } = request.query as z.output<typeof LiveTranscriptionQuery>;
        rejectNativeOptions(request);
        resolveElevenLabsTranscriptionModel(model_id);
        parseLanguageHint(toLanguageTag(language_code));
      },
    },
    async (socket, request) => {
      const { model_id, audio_format, language_code, keyterms, commit_strategy } = request.query;
      const startRequest = {
        sample_rate: Number(audio_format.slice('pcm_'.length)),
        language: toLanguageTag(language_code) ?? null,
        ...(keyterms && { vocabulary: keyterms }),
      };
      const started = { message_type: 'session_started', session_id: request.id };
      socket.send(
        JSON.stringify({ ...started, config: { model_id, audio_format, language_code, commit_strategy } }),
      );
      const protocol = new ElevenLabsTranscriptionProtocol(startRequest, commit_strategy);
      const model = resolveElevenLabsTranscriptionModel(model_id);
      await serveLiveTranscription(deps, { socket, request, protocol, model });
    },
  );
};
