import type { FastifyInstance, FastifyRequest } from 'fastify';
import { enter } from '../../billing/accounting.ts';
import type { HttpDeps } from '../http-deps.ts';
import { authenticate } from '../plugins/auth.ts';
import { modelNameOf } from '../request-headers.ts';
import { TtsRequestSchema } from '../schemas/tts-request.ts';
import { toSpeakRequest } from '../speak-request.ts';
import { parseBody } from '../validation.ts';
import { resolveWireModel } from '../wire-models.ts';
import { LiveSale } from './live-sale.ts';
import type { Admitted } from './live-session.ts';
import { LiveSocket } from './live-socket.ts';
import type { LiveSockets } from './live-sockets.ts';

type LiveDeps = Pick<
  HttpDeps,
  'speech' | 'config' | 'accounting' | 'pronunciations' | 'voiceFinder' | 'keys' | 'connections'
>;

const PATHS = [
  { path: '/v1/tts/live', hasTimings: false },
  { path: '/v1/tts/live/with-timestamp', hasTimings: true },
] as const;

/** Adds the routes of live speech. */
export function addLiveRoutes(app: FastifyInstance, deps: LiveDeps, sockets: LiveSockets): void {
  const { config } = deps;
  const modelOf = (header: string | undefined) => resolveWireModel(header, config);
  const routeConfig = { isWebSocket: true, scope: 'tts', sells: { service: 'tts', modelOf } } as const;
  for (const { path, hasTimings } of PATHS) {
    app.get(path, { websocket: true, config: routeConfig }, (socket, request) => {
      const live = new LiveSocket(socket, {
        speech: deps.speech,
        logger: request.log.child({ route: path }),
        hasTimings,
        admit: (body, signal) => admit(deps, request, { body, signal }),
        bufferMaxChars: config.liveBufferMaxChars,
        frameMaxBytes: config.bodyMaxBytes,
        stallMs: config.streamStallSeconds * 1000,
        idleMs: config.liveIdleSeconds * 1000,
        silenceMs: config.liveSilenceSeconds * 1000,
      });
      sockets.add(socket, live);
      socket.once(
        'close',
        deps.connections.add(request.caller!, (reason) => live.dismiss(reason)),
      );
    });
  }
}

/** Checks the request of a session, and waits for its turn. */
async function admit(
  deps: LiveDeps,
  request: FastifyRequest,
  { body, signal }: { readonly body: Record<string, unknown>; readonly signal: AbortSignal },
): Promise<Admitted> {
  // A socket may outlive its key.
  const caller = await authenticate(request, deps);
  const checked = parseBody(TtsRequestSchema, { ...body, text: body.text ?? '' });
  const spoken = await toSpeakRequest(
    checked,
    {
      accountId: caller.accountId,
      requestId: request.id,
      model: resolveWireModel(modelNameOf(request), deps.config),
      encoding: 'MsgPack',
    },
    deps,
  );
  const { ticket } = await enter(deps.accounting, caller, { wallet: request.wallet, signal });
  const sale = new LiveSale(deps.accounting.till, caller, spoken.model);
  return { request: spoken, sale, begin: ticket.begin, leave: ticket.leave };
}
