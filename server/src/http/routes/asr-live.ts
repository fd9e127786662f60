import type { FastifyInstance } from 'fastify';
import { chargeHeard } from '../../billing/charge-heard.ts';
import type { HearingDeps, HttpDeps } from '../http-deps.ts';
import { resolveTranscriptionModel } from '../schemas/asr-request.ts';
import { serveLiveListening } from '../websocket/live-listening.ts';
import { MessageSocket } from '../websocket/message-socket.ts';

/** `WS /v1/asr/live`. Its messages are in docs/reference/transcription.md; OpenAPI has no words for them. */
export async function asrLiveRoutes(
  app: FastifyInstance,
  { transcription, config, accounting }: HearingDeps & Pick<HttpDeps, 'config' | 'accounting'>,
): Promise<void> {
  const route = {
    websocket: true,
    schema: { hide: true },
    config: {
      isWebSocket: true,
      scope: 'asr',
      sells: { service: 'asr', modelOf: resolveTranscriptionModel },
    },
  } as const;
  app.get('/v1/asr/live', route, (socket, request) => {
    const header = request.headers.model;
    const model = resolveTranscriptionModel(typeof header === 'string' ? header : undefined);
    const messages = new MessageSocket(socket, { idleMs: config.asrLiveIdleSeconds * 1000 });
    return serveLiveListening(messages, {
      transcription,
      model,
      charge: (seconds) => chargeHeard(accounting.till, request.caller!, { model, seconds }),
      maxSeconds: config.asrMaxSeconds,
      onFault: (error) => request.log.error({ err: error }, 'live transcription failed'),
    });
  });
}
