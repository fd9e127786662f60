import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { enter } from '../../domain/accounts/metering/accounting.ts';
import { chargeTranscription } from '../../domain/accounts/metering/charge-transcription.ts';
import type { TranscriptionModel } from '../../domain/transcription/transcription-service.ts';
import { ApiError, type ErrorCode } from '../../errors.ts';
import type { ApiDeps, TranscriptionDeps } from '../dependencies.ts';
import { type LiveListeningDeps, refuse, serveLiveListening } from './live-listening.ts';
import { type MessageDialect, MessageSocket, type SocketMessage } from './message-socket.ts';

export type ListeningDeps = Pick<TranscriptionDeps, 'transcription'> &
  Pick<ApiDeps, 'config' | 'accounting' | 'connections'>;

/** Listens on a socket until one side closes it, or its key is revoked; what is heard is paid for. */
export async function serveListening(
  deps: ListeningDeps,
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
  const { config, accounting, connections } = deps;
  const caller = request.caller!;
  const messages = new MessageSocket(socket, { idleMs: config.asrLiveIdleSeconds * 1000, dialect });
  const leaving: (() => void)[] = [];
  try {
    leaving.push(connections.add(caller, (reason) => messages.dismiss(reason)));
    const { ticket } = await enter(accounting, caller, { wallet: request.wallet, signal: messages.gone });
    leaving.push(ticket.leave);
    // A session lasts as long as somebody speaks; it does not keep others from starting.
    ticket.begin();
    await serveLiveListening(messages, listeningOf(deps, request, model));
  } catch (error) {
    refuse(messages, error, listeningOf(deps, request, model).onFault);
  } finally {
    for (const leave of leaving) leave();
  }
}

/** Hears sound that is there as a whole, as if it had come over a socket. Rejects with an `ApiError`. */
export async function hearOnce(
  deps: Omit<ListeningDeps, 'connections'>,
  wish: {
    readonly request: FastifyRequest;
    readonly model: TranscriptionModel;
    /** The request of a `start` message. */
    readonly wish: Readonly<Record<string, unknown>>;
    readonly audio: Uint8Array;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly text: string; readonly durationSeconds: number }> {
  const { request, model, signal } = wish;
  const told: SocketMessage[] = [];
  const { ticket } = await enter(deps.accounting, request.caller!, {
    wallet: request.wallet,
    signal,
  });
  try {
    ticket.begin();
    const source = {
      gone: signal,
      async *messages() {
        yield { event: 'start', request: wish.wish };
        yield { event: 'audio', audio: wish.audio };
        yield { event: 'stop' };
      },
      send: (message: SocketMessage) => void told.push(message),
      close: () => {},
    };
    await serveLiveListening(source, listeningOf(deps, request, model));
  } finally {
    ticket.leave();
  }
  const failure = told.find(({ event }) => event === 'error');
  if (failure !== undefined) throw new ApiError(failure.code as ErrorCode, String(failure.error));
  const result = told.find(({ event }) => event === 'finish');
  return { text: String(result?.text ?? ''), durationSeconds: Number(result?.duration ?? 0) };
}

/** What listening needs for this client. */
function listeningOf(
  { transcription, config, accounting }: Omit<ListeningDeps, 'connections'>,
  request: FastifyRequest,
  model: TranscriptionModel,
): LiveListeningDeps {
  return {
    transcription,
    model,
    maxSeconds: config.asrMaxSeconds,
    charge: async (seconds) => {
      await chargeTranscription(accounting.till, request.caller!, { model, seconds });
    },
    onFault: (error) => request.log.error({ err: error }, 'live transcription failed'),
  };
}
