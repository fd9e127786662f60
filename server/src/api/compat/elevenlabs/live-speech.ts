import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiDeps } from '../../dependencies.ts';
import { type LiveSpeechDeps, serveLiveSpeech } from '../../websocket/live-speech-routes.ts';
import type { LiveSpeechSockets } from '../../websocket/live-speech-sockets.ts';
import { resolveElevenLabsSpeechModel } from '../model-names.ts';
import { nativeOptionsOf } from '../native-options.ts';
import { toFormatFields } from './formats.ts';
import { ElevenLabsSpeechProtocol } from './live-speech-protocol.ts';
import { toLanguage, toVoiceName } from './settings.ts';

const LiveQuery = z.object({
  model_id: z.string().default('eleven_multilingual_v2'),
  output_format: z.string().default('mp3_44100_128'),
  language_code: z.string().optional(),
  sync_alignment: z.stringbool().default(false),
  apply_text_normalization: z.enum(['auto', 'on', 'off']).optional(),
  seed: z.coerce.number().int().optional(),
});
const LiveParams = z.object({ voice_id: z.string() });

/** ElevenLabs' `WS …/stream-input`: synthesizes a text while it arrives. */
export const elevenLabsLiveSpeechRoutes: FastifyPluginAsyncZod<
  LiveSpeechDeps & Pick<ApiDeps, 'voices'> & { readonly sockets: LiveSpeechSockets }
> = async (app, { sockets, ...deps }) => {
  const modelOf = () => deps.config.defaultModel;
  app.get(
    '/v1/text-to-speech/:voice_id/stream-input',
    {
      websocket: true,
      config: {
        isWebSocket: true,
        keyHeader: 'xi-api-key',
        keyQuery: 'api_key',
        scope: 'tts',
        metering: { service: 'tts', modelOf },
      },
      schema: { hide: true, params: LiveParams, querystring: LiveQuery },
      // Invalid parameters are rejected with an HTTP status before the upgrade.
      preHandler: async ({ query }) => {
        const { output_format, model_id } = query as z.output<typeof LiveQuery>;
        toFormatFields(output_format);
        resolveElevenLabsSpeechModel(model_id, deps.config);
      },
    },
    (socket, request) => {
      const { query, params } = request;
      const body = {
        latency: 'low',
        ...toFormatFields(query.output_format),
        reference_id: toVoiceName(params.voice_id),
        language: toLanguage(query.language_code, params.voice_id, deps.voices),
        normalize: query.apply_text_normalization !== 'off',
        seed: query.seed ?? null,
        ...nativeOptionsOf(request),
      };
      serveLiveSpeech(deps, sockets, {
        socket,
        request,
        protocol: new ElevenLabsSpeechProtocol(body, {
          hasTimings: query.sync_alignment,
          // Text in the session and text in synthesis.
          textMaxChars: 2 * deps.config.liveBufferMaxChars,
        }),
        hasTimings: query.sync_alignment,
        model: resolveElevenLabsSpeechModel(query.model_id, deps.config),
      });
    },
  );
};
