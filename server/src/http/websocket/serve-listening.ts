import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { enter } from '../../billing/accounting.ts';
import { chargeHeard } from '../../billing/charge-heard.ts';
import type { TranscriptionModel } from '../../transcription/transcription-service.ts';
import type { HearingDeps, HttpDeps } from '../http-deps.ts';
import { refuse, serveLiveListening } from './live-listening.ts';
import { type MessageDialect, MessageSocket } from './message-socket.ts';

export type ListeningDeps = Pick<HearingDeps, 'transcription'> &
  Pick<HttpDeps, 'config' | 'accounting' | 'connections'>;

/** Listens on a socket until one side closes it, or its key is revoked; what is heard is paid for. */
export async function serveListening(
  { transcription, config, accounting, connections }: ListeningDeps,
  {
    socket,
    request,
    dialect,
    model,
  }: {
    readonly socket: WebSocket;
    readonly request: FastifyRequest;
    readonly dialect: MessageDialect;
    readonly model: TranscriptionModel;
  },
): Promise<void> {
  const caller = request.caller!;
  const messages = new MessageSocket(socket, { idleMs: config.asrLiveIdleSeconds * 1000, dialect });
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
}
