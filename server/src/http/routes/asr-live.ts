import type { FastifyInstance } from 'fastify';
import { enter } from '../../billing/accounting.ts';
import { chargeHeard } from '../../billing/charge-heard.ts';
import type { HearingDeps, HttpDeps } from '../http-deps.ts';
import { modelNameOf } from '../request-headers.ts';
import { resolveTranscriptionModel } from '../schemas/asr-request.ts';
import { refuse, serveLiveListening } from '../websocket/live-listening.ts';
import { MessageSocket } from '../websocket/message-socket.ts';

/** `WS /v1/asr/live`. Its messages are in docs/reference/transcription.md; OpenAPI has no words for them. */
export async function asrLiveRoutes(
  app: FastifyInstance,
  deps: HearingDeps & Pick<HttpDeps, 'config' | 'accounting' | 'connections'>,
): Promise<void> {
  const { transcription, config, accounting, connections } = deps;
  const route = {
    websocket: true,
    schema: { hide: true },
    config: {
      isWebSocket: true,
      scope: 'asr',
      sells: { service: 'asr', modelOf: resolveTranscriptionModel },
    },
  } as const;
  app.get('/v1/asr/live', route, async (socket, request) => {
    const caller = request.caller!;
    const model = resolveTranscriptionModel(modelNameOf(request));
    const messages = new MessageSocket(socket, { idleMs: config.asrLiveIdleSeconds * 1000 });
    const onFault = (error: unknown) => request.log.error({ err: error }, 'live transcription failed');
    const leaving: (() => void)[] = [];
    try {
      leaving.push(connections.add(caller, (reason) => messages.dismiss(reason)));
      const { ticket } = await enter(accounting, caller, { wallet: request.wallet, signal: messages.gone });
      leaving.push(ticket.leave);
      // A session lasts as long as somebody speaks; it does not keep others from starting.
      ticket.begin();
      await serveLiveListening(messages, {
        transcription,
        model,
        charge: async (seconds) => {
          await chargeHeard(accounting.till, caller, { model, seconds });
        },
        maxSeconds: config.asrMaxSeconds,
        onFault,
      });
    } catch (error) {
      refuse(messages, error, onFault);
    } finally {
      for (const leave of leaving) leave();
    }
  });
}
