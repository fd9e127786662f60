import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { LiveDeps } from '../../websocket/live-routes.ts';
import type { ListeningDeps } from '../../websocket/serve-listening.ts';
import { isHearingModel, resolveHearingModel, resolveSpeechModel } from '../model-names.ts';
import { nativeOptionsOf } from '../native-options.ts';
import { RealtimeSocket } from './realtime-socket.ts';

const HEARING_DEFAULT = 'fish-audio/transcribe-1';

const RealtimeQuery = z.object({
  model: z.string().optional(),
  intent: z.string().optional(),
});

/** `WS …/realtime` as OpenAI's clients open it. */
export const openAiRealtimeRoutes: FastifyPluginAsyncZod<LiveDeps & ListeningDeps> = async (app, deps) => {
  /** Throws for a name that nobody knows. */
  const choose = ({ model, intent }: z.output<typeof RealtimeQuery>) => {
    const isTranscription = intent === 'transcription' || (model !== undefined && isHearingModel(model));
    const modelName = model ?? (isTranscription ? HEARING_DEFAULT : deps.config.defaultModel);
    const isHeard = isHearingModel(modelName);
    return {
      isTranscription,
      modelName,
      speechModel: isHeard ? deps.config.defaultModel : resolveSpeechModel(modelName, deps.config),
      hearingModel: resolveHearingModel(isHeard ? modelName : HEARING_DEFAULT),
    };
  };
  app.get(
    '/realtime',
    {
      websocket: true,
      config: {
        isWebSocket: true,
        keyQuery: 'api_key',
        sells: { service: 'tts', modelOf: () => deps.config.defaultModel },
      },
      schema: { hide: true, querystring: RealtimeQuery },
      // What is wrong on its face is refused with a status, before there is a socket.
      preHandler: async (request) => {
        choose(request.query as z.output<typeof RealtimeQuery>);
        nativeOptionsOf(request);
      },
    },
    (socket, request) => {
      const options = { request, deps, ...choose(request.query), native: nativeOptionsOf(request) };
      const realtime = new RealtimeSocket(socket, options);
      const { connections } = deps;
      socket.once(
        'close',
        connections.add(request.caller!, (reason) => realtime.dismiss(reason)),
      );
    },
  );
};
