import type { FastifyInstance } from 'fastify';
import type { WebSocket } from 'ws';
import { admitCaller } from '../../domain/accounts/metering/accounting.ts';
import type { ApiDeps, AuthenticatedRequest } from '../dependencies.ts';
import { authenticate } from '../plugins/auth.ts';
import { loadVoices, type OutputFormat, toSpeechRequest } from '../requests/speech-request.ts';
import { TtsRequestSchema } from '../schemas/speech/tts-request.ts';
import { modelNameOf } from '../wire/request-headers.ts';
import { parseBody } from '../wire/validation.ts';
import { resolveWireModel } from '../wire/wire-models.ts';
import { LiveCharge } from './live-charge.ts';
import { type LiveSpeechProtocol, NATIVE_SPEECH_PROTOCOL } from './live-speech-protocol.ts';
import type { AdmittedSession } from './live-speech-session.ts';
import { LiveSpeechSocket, type LiveSpeechSocketOptions } from './live-speech-socket.ts';
import type { DrainableSocket, LiveSpeechSockets } from './live-speech-sockets.ts';
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
  /** The output format in place of that of the request. */
  readonly output?: OutputFormat | undefined;
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
  const { socket, protocol, hasTimings } = connection;
  const options = openSocket(deps, connection);
  registerSocket(
    deps,
    sockets,
    connection,
    new LiveSpeechSocket(socket, { ...options, protocol, hasTimings }),
  );
}

/** The options of a new socket that do not depend on its protocol. Opens its budget. */
export function openSocket(
  deps: LiveSpeechDeps,
  { socket, request, model, output }: Pick<LiveSpeechConnection, 'socket' | 'request' | 'model' | 'output'>,
): Omit<LiveSpeechSocketOptions, 'protocol' | 'hasTimings'> {
  const { config } = deps;
  const budget = request.server.socketBudgets.open(request.caller.accountId);
  countPartialMessages(socket, request.raw.socket, budget);
  socket.once('close', () => budget.close());
  return {
    speech: deps.speech,
    budget,
    logger: request.log.child({ route: request.routeOptions.url }),
    admit: (body, signal) => admitLiveSpeech(deps, request, { body, model, signal, output }),
    bufferMaxChars: config.liveBufferMaxChars,
    frameMaxBytes: config.bodyMaxBytes,
    stallMs: config.streamStallSeconds * 1000,
    idleMs: config.liveIdleSeconds * 1000,
    silenceMs: config.liveSilenceSeconds * 1000,
  };
}

/** Registers a socket until it closes: for the end of the server, and for changes of its API key. */
export function registerSocket(
  { connections }: Pick<LiveSpeechDeps, 'connections'>,
  sockets: LiveSpeechSockets,
  { socket, request }: Pick<LiveSpeechConnection, 'socket' | 'request'>,
  live: DrainableSocket & Pick<LiveSpeechSocket, 'closeForKey'>,
): void {
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
    output,
  }: {
    readonly body: Record<string, unknown>;
    readonly model: string;
    readonly signal: AbortSignal;
    readonly output?: OutputFormat | undefined;
  },
): Promise<AdmittedSession> {
  // Authenticated again for each session: the key may have been revoked since the handshake. The caller of the
  // connection follows later changes of the key.
  const caller = Object.assign(request.caller, await authenticate(request, deps));
  const checked = parseBody(TtsRequestSchema, { ...body, text: body.text ?? '' });
  const context = { accountId: caller.accountId, requestId: request.id, model, encoding: 'MsgPack' } as const;
  const pending = { ...(await toSpeechRequest(checked, context, deps)), ...output };
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
