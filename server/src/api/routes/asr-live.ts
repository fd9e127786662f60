import type { FastifyInstance } from 'fastify';
import { resolveTranscriptionModel } from '../schemas/transcription/asr-request.ts';
import { NATIVE_TRANSCRIPTION_PROTOCOL } from '../websocket/live-transcription-protocol.ts';
import { serveLiveTranscription, type TranscriptionSocketDeps } from '../websocket/serve-transcription.ts';
import { modelNameOf } from '../wire/request-headers.ts';

/** `WS /v1/asr/live`. Its messages are in docs/reference/transcription.md; OpenAPI cannot describe them. */
export async function asrLiveRoutes(app: FastifyInstance, deps: TranscriptionSocketDeps): Promise<void> {
  const route = {
    websocket: true,
    schema: { hide: true },
    config: {
      isWebSocket: true,
      scope: 'asr',
      metering: { service: 'asr', modelOf: resolveTranscriptionModel },
    },
  } as const;
  app.get('/v1/asr/live', route, async (socket, request) => {
    const model = resolveTranscriptionModel(modelNameOf(request));
    await serveLiveTranscription(deps, { socket, request, protocol: NATIVE_TRANSCRIPTION_PROTOCOL, model });
  });
}
