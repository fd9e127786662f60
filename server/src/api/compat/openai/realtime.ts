import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { LiveSpeechDeps } from '../../websocket/live-speech-routes.ts';
import { countPartialMessages } from '../../websocket/partial-messages.ts';
import type { TranscriptionSocketDeps } from '../../websocket/serve-transcription.ts';
import {
  isTranscriptionModel,
  resolveOpenAiSpeechModel,
  resolveOpenAiTranscriptionModel,
} from '../model-names.ts';
import { nativeOptionsOf } from '../native-options.ts';
import { RealtimeSocket } from './realtime-socket.ts';

const DEFAULT_TRANSCRIPTION_MODEL = 'fish-audio/transcribe-1';

const RealtimeQuery = z.object({
  model: z.string().optional(),
  intent: z.string().optional(),
});

/** OpenAI's `WS …/realtime`. */
export const openAiRealtimeRoutes: FastifyPluginAsyncZod<LiveSpeechDeps & TranscriptionSocketDeps> = async (
  app,
  deps,
) => {
  /** Throws for an unknown model name. */
  const resolveModels = ({ model, intent }: z.output<typeof RealtimeQuery>) => {
    const isTranscription =
      intent === 'transcription' || (model !== undefined && isTranscriptionModel(model));
    const modelName = model ?? (isTranscription ? DEFAULT_TRANSCRIPTION_MODEL : deps.config.defaultModel);
    const isTranscriptionName = isTranscriptionModel(modelName);
    return {
      isTranscription,
      modelName,
      speechModel: isTranscriptionName
        ? deps.config.defaultModel
        : resolveOpenAiSpeechModel(modelName, deps.config),
      transcriptionModel: resolveOpenAiTranscriptionModel(
        isTranscriptionName ? modelName : DEFAULT_TRANSCRIPTION_MODEL,
      ),
    };
  };
  app.get(
    '/realtime',
    {
      websocket: true,
      config: {
        isWebSocket: true,
        keyQuery: 'api_key',
        metering: { service: 'tts', modelOf: () => deps.config.defaultModel },
      },
      schema: { hide: true, querystring: RealtimeQuery },
      // Invalid parameters are rejected with an HTTP status before the upgrade.
      preHandler: async (request) => {
        resolveModels(request.query as z.output<typeof RealtimeQuery>);
        nativeOptionsOf(request);
      },
    },
    (socket, request) => {
      const budget = request.server.socketBudgets.open(request.caller.accountId);
      countPartialMessages(socket, request.raw.socket, budget);
      const options = {
        request,
        deps,
        ...resolveModels(request.query),
        native: nativeOptionsOf(request),
        budget,
      };
      const realtime = new RealtimeSocket(socket, options);
      const { connections } = deps;
      socket.once(
        'close',
        connections.add(request.caller, (reason) => realtime.closeForKey(reason)),
      );
    },
  );
};
