import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiDeps, AuthenticatedRequest } from '../../dependencies.ts';
import {
  type LiveSpeechDeps,
  openSocket,
  registerSocket,
  serveLiveSpeech,
} from '../../websocket/live-speech-routes.ts';
import type { LiveSpeechSockets } from '../../websocket/live-speech-sockets.ts';
import { hasNativeFormat } from '../metered-compat-speech.ts';
import { resolveElevenLabsSpeechModel } from '../model-names.ts';
import { nativeOptionsOf } from '../native-options.ts';
import { toOutputFormat } from './formats.ts';
import { ElevenLabsSpeechProtocol } from './live-speech-protocol.ts';
import { MultiContextSocket } from './multi-context-socket.ts';
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

/** ElevenLabs' `WS …/stream-input` and `WS …/multi-stream-input`: synthesize text while it arrives. */
export const elevenLabsLiveSpeechRoutes: FastifyPluginAsyncZod<
  LiveSpeechDeps & Pick<ApiDeps, 'voices'> & { readonly sockets: LiveSpeechSockets }
> = async (app, { sockets, ...deps }) => {
  const modelOf = () => deps.config.defaultModel;
  const config = {
    isWebSocket: true,
    keyHeader: 'xi-api-key',
    keyQuery: 'api_key',
    scope: 'tts',
    metering: { service: 'tts', modelOf },
  } as const;
  const schema = { hide: true, params: LiveParams, querystring: LiveQuery };
  // Invalid parameters are rejected with an HTTP status before the upgrade.
  const preHandler = async ({ query }: { readonly query: unknown }) => {
    // Validated against the schema.
    const { output_format, model_id } = query as z.output<typeof LiveQuery>;
    toOutputFormat(output_format);
    resolveElevenLabsSpeechModel(model_id, deps.config);
  };
  /** The parts of a connection that do not depend on its protocol. */
  const toConnection = (
    request: AuthenticatedRequest,
    query: z.output<typeof LiveQuery>,
    { voice_id }: z.output<typeof LiveParams>,
  ) => {
    const native = nativeOptionsOf(request);
    const voiceName = toVoiceName(voice_id, deps);
    return {
      body: {
        latency: 'low',
        reference_id: voiceName,
        language: toLanguage(query.language_code, voiceName, deps),
        normalize: query.apply_text_normalization !== 'off',
        seed: query.seed ?? null,
        ...native,
      },
      model: resolveElevenLabsSpeechModel(query.model_id, deps.config),
      output: hasNativeFormat(native) ? undefined : toOutputFormat(query.output_format),
      // Text in the session and text in synthesis.
      textMaxChars: 2 * deps.config.liveBufferMaxChars,
    };
  };

  app.get(
    '/v1/text-to-speech/:voice_id/stream-input',
    { websocket: true, config, schema, preHandler },
    (socket, request) => {
      const { query, params } = request;
      const { body, textMaxChars, ...connection } = toConnection(request, query, params);
      serveLiveSpeech(deps, sockets, {
        ...connection,
        socket,
        request,
        protocol: new ElevenLabsSpeechProtocol(body, {
          timeOrigin: query.sync_alignment ? 'text' : undefined,
          textMaxChars,
        }),
        hasTimings: query.sync_alignment,
      });
    },
  );

  app.get(
    '/v1/text-to-speech/:voice_id/multi-stream-input',
    { websocket: true, config, schema, preHandler },
    (socket, request) => {
      const { query, params } = request;
      const { body, textMaxChars, ...connection } = toConnection(request, query, params);
      const live = new MultiContextSocket(socket, {
        ...openSocket(deps, { ...connection, socket, request }),
        body,
        textMaxChars,
        // Pipecat adds the times of messages up; LiveKit requests `sync_alignment` and takes times as they are.
        timeOrigin: query.sync_alignment ? 'text' : 'message',
      });
      registerSocket(deps, sockets, { socket, request }, live);
    },
  );
};
