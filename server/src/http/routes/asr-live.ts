import type { FastifyInstance } from 'fastify';
import type { HearingDeps, HttpDeps } from '../http-deps.ts';
import { resolveTranscriptionModel } from '../schemas/asr-request.ts';
import { serveLiveListening } from '../websocket/live-listening.ts';
import { MessageSocket } from '../websocket/message-socket.ts';

/** `WS /v1/asr/live`. Its messages are in docs/reference/transcription.md; OpenAPI has no words for them. */
export async function asrLiveRoutes(
  app: FastifyInstance,
  { transcription, config }: HearingDeps & Pick<HttpDeps, 'config'>,
): Promise<void> {
  const options = { websocket: true, config: { isWebSocket: true }, schema: { hide: true } } as const;
  app.get('/v1/asr/live', options, (socket, request) => {
    const { model } = request.headers;
    const messages = new MessageSocket(socket, { idleMs: config.asrLiveIdleSeconds * 1000 });
    return serveLiveListening(messages, {
      transcription,
      model: resolveTranscriptionModel(typeof model === 'string' ? model : undefined),
      maxSeconds: config.asrMaxSeconds,
      onFault: (error) => request.log.error({ err: error }, 'live transcription failed'),
    });
  });
}
