import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { enter } from '../../domain/accounts/metering/accounting.ts';
import type { ApiDeps } from '../dependencies.ts';
import { authenticate } from '../plugins/auth.ts';
import { toSpeakRequest } from '../requests/speech-request.ts';
import { TtsRequestSchema } from '../schemas/tts-request.ts';
import { modelNameOf } from '../wire/request-headers.ts';
import { parseBody } from '../wire/validation.ts';
import { resolveWireModel } from '../wire/wire-models.ts';
import { type LiveDialect, NATIVE_DIALECT } from './live-dialect.ts';
import { LiveSale } from './live-sale.ts';
import type { Admitted } from './live-session.ts';
import { LiveSocket } from './live-socket.ts';
import type { LiveSockets } from './live-sockets.ts';

export type LiveDeps = Pick<
  ApiDeps,
  'speech' | 'config' | 'accounting' | 'pronunciations' | 'voiceFinder' | 'keys' | 'connections'
>;

/** A socket of live speech that was just opened, and how it talks. */
export interface OpenedSocket {
  readonly socket: WebSocket;
  readonly request: FastifyRequest;
  readonly dialect: LiveDialect;
  readonly hasTimings: boolean;
  /** A wire model id, with aliases already resolved. */
  readonly model: string;
}

const PATHS = [
  { path: '/v1/tts/live', hasTimings: false },
  { path: '/v1/tts/live/with-timestamp', hasTimings: true },
] as const;

/** Adds the routes of live speech. */
export function addLiveRoutes(app: FastifyInstance, deps: LiveDeps, sockets: LiveSockets): void {
  const modelOf = (name: string | undefined) => resolveWireModel(name, deps.config);
  const config = { isWebSocket: true, scope: 'tts', sells: { service: 'tts', modelOf } } as const;
  for (const { path, hasTimings } of PATHS) {
    app.get(path, { websocket: true, config }, (socket, request) => {
      const model = modelOf(modelNameOf(request));
      serveLive(deps, sockets, { socket, request, dialect: NATIVE_DIALECT, hasTimings, model });
    });
  }
}

/** Serves a socket of live speech until one side closes it, or its key is revoked. */
export function serveLive(deps: LiveDeps, sockets: LiveSockets, opened: OpenedSocket): void {
  const { config, connections } = deps;
  const { socket, request, dialect, hasTimings, model } = opened;
  const live = new LiveSocket(socket, {
    speech: deps.speech,
    logger: request.log.child({ route: request.routeOptions.url }),
    dialect,
    hasTimings,
    admit: (body, signal) => admitLive(deps, request, { body, model, signal }),
    bufferMaxChars: config.liveBufferMaxChars,
    frameMaxBytes: config.bodyMaxBytes,
    stallMs: config.streamStallSeconds * 1000,
    idleMs: config.liveIdleSeconds * 1000,
    silenceMs: config.liveSilenceSeconds * 1000,
  });
  sockets.add(socket, live);
  socket.once(
    'close',
    connections.add(request.caller!, (reason) => live.dismiss(reason)),
  );
}

/** Checks the request of a session, and waits for its turn. */
export async function admitLive(
  deps: LiveDeps,
  request: FastifyRequest,
  {
    body,
    model,
    signal,
  }: { readonly body: Record<string, unknown>; readonly model: string; readonly signal: AbortSignal },
): Promise<Admitted> {
  // A socket may outlive its key.
  const caller = await authenticate(request, deps);
  const checked = parseBody(TtsRequestSchema, { ...body, text: body.text ?? '' });
  const context = { accountId: caller.accountId, requestId: request.id, model, encoding: 'MsgPack' } as const;
  const spoken = await toSpeakRequest(checked, context, deps);
  const { ticket } = await enter(deps.accounting, caller, { wallet: request.wallet, signal });
  const sale = new LiveSale(deps.accounting.till, caller, spoken.model);
  return { request: spoken, sale, begin: ticket.begin, leave: ticket.leave };
}
