import type { FastifyInstance } from 'fastify';
import type { WebSocket } from 'ws';
import { admitCaller } from '../../domain/accounts/metering/accounting.ts';
import type { ApiDeps, AuthenticatedRequest } from '../dependencies.ts';
import { authenticate } from '../plugins/auth.ts';
import { loadVoices, toSpeechRequest } from '../requests/speech-request.ts';
import { TtsRequestSchema } from '../schemas/tts-request.ts';
import { modelNameOf } from '../wire/request-headers.ts';
import { parseBody } from '../wire/validation.ts';
import { resolveWireModel } from '../wire/wire-models.ts';
import { LiveCharge } from './live-charge.ts';
import { type LiveSpeechProtocol, NATIVE_SPEECH_PROTOCOL } from './live-speech-protocol.ts';
import type { AdmittedSession } from './live-speech-session.ts';
import { LiveSpeechSocket } from './live-speech-socket.ts';
import type { LiveSpeechSockets } from './live-speech-sockets.ts';
import { countPartialMessages } from './partial-messages.ts';

export type LiveSpeechDeps = Pick<
  ApiDeps,
  | 'speech'
  | 'config'
  | 'accounting'
  | 'pronunciations'
  | 'voiceResolver'
  | 'keys'
  | 'sessions'
  | 'connections'
>;

/** A new live speech socket and its protocol. */
export interface LiveSpeechConnection {
  readonly socket: WebSocket;
  readonly request: AuthenticatedRequest;
  readonly protocol: LiveSpeechProtocol;
  readonly hasTimings: boolean;
  /** Wire model id; aliases are resolved. */
  readonly model: string;
}

const PATHS = [
  { path: '/v1/tts/live', hasTimings: false },
  { path: '/v1/tts/live/with-timestamp', hasTimings: true },
] as const;

export function addLiveSpeechRoutes(
  app: FastifyInstance,
  deps: LiveSpeechDeps,
  sockets: LiveSpeechSockets,
): void {
  const modelOf = (name: string | undefined) => resolveWireModel(name, deps.config);
  const config = { isWebSocket: true, scope: 'tts', metering: { service: 'tts', modelOf } } as const;
  for (const { path, hasTimings } of PATHS) {
    app.get(path, { websocket: true, config }, (socket, request) => {
      const model = modelOf(modelNameOf(request));
      serveLiveSpeech(deps, sockets, {
        socket,
        request,
        protocol: NATIVE_SPEECH_PROTOCOL,
        hasTimings,
        model,
      });
    });
  }
}

/** Serves a live speech socket until either side closes it or its API key is revoked. */
export function serveLiveSpeech(
  deps: LiveSpeechDeps,
  sockets: LiveSpeechSockets,
  connection: LiveSpeechConnection,
): void {
  const { config, connections } = deps;
  const { socket, request, protocol, hasTimings, model } = connection;
  const budget = request.server.socketBudgets.open(request.caller.accountId);
  countPartialMessages(socket, request.raw.socket, budget);
  socket.once('close', () => budget.close());
  const live = new LiveSpeechSocket(socket, {
    speech: deps.speech,
    budget,
    logger: request.log.child({ route: request.routeOptions.url }),
    protocol,
    hasTimings,
    admit: (body, signal) => admitLiveSpeech(deps, request, { body, model, signal }),
    bufferMaxChars: config.liveBufferMaxChars,
    frameMaxBytes: config.bodyMaxBytes,
    stallMs: config.streamStallSeconds * 1000,
    idleMs: config.liveIdleSeconds * 1000,
    silenceMs: config.liveSilenceSeconds * 1000,
  });
  sockets.add(socket, live);
  socket.once(
    'close',
    connections.add(request.caller, (reason) => live.closeForKey(reason), 'tts'),
  );
}

/** Validates the request of a session, waits for admission and loads its voices. */
export async function admitLiveSpeech(
  deps: LiveSpeechDeps,
  request: AuthenticatedRequest,
  {
    body,
    model,
    signal,
  }: { readonly body: Record<string, unknown>; readonly model: string; readonly signal: AbortSignal },
): Promise<AdmittedSession> {
  // Authenticated again for each session: the key may have been revoked since the handshake. The caller of the
  // connection follows later changes of the key.
  const caller = Object.assign(request.caller, await authenticate(request, deps));
  const checked = parseBody(TtsRequestSchema, { ...body, text: body.text ?? '' });
  const context = { accountId: caller.accountId, requestId: request.id, model, encoding: 'MsgPack' } as const;
  const pending = await toSpeechRequest(checked, context, deps);
  const { ticket } = await admitCaller(deps.accounting, caller, { wallet: request.wallet, signal });
  const charge = new LiveCharge(deps.accounting.billing, caller, pending.model);
  const { markStarted: begin, release: leave } = ticket;
  try {
    if (pending.voices.hasReferences) await charge.reserve();
    return { request: await loadVoices(pending, { signal, begin }), charge, begin, leave };
  } catch (error) {
    leave();
    await charge.settle(0, '');
    throw error;
  }
}
