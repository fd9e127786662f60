import type { WebSocket } from 'ws';
import { admitCaller } from '../../domain/accounts/metering/accounting.ts';
import { TranscriptionCharge } from '../../domain/accounts/metering/transcription-charge.ts';
import type { TranscriptionModel } from '../../domain/transcription/transcription-service.ts';
import { ApiError } from '../../errors.ts';
import type { ApiDeps, AuthenticatedRequest, TranscriptionDeps } from '../dependencies.ts';
import {
  closeWithError,
  type LiveTranscriptionDeps,
  serveSessions,
  type TranscriptionConnection,
} from './live-transcription.ts';
import type { TranscriptionClientFrame, TranscriptionServerFrame } from './live-transcription-frames.ts';
import type { LiveTranscriptionProtocol } from './live-transcription-protocol.ts';
import { countPartialMessages } from './partial-messages.ts';
import { TranscriptionSocket } from './transcription-socket.ts';

export type TranscriptionSocketDeps = Pick<TranscriptionDeps, 'transcription'> &
  Pick<ApiDeps, 'config' | 'accounting' | 'connections'>;

/** Serves a live transcription socket until either side closes it or its API key is revoked. */
export async function serveLiveTranscription(
  deps: TranscriptionSocketDeps,
  {
    socket,
    request,
    protocol,
    model,
  }: {
    readonly socket: WebSocket;
    readonly request: AuthenticatedRequest;
    readonly protocol: LiveTranscriptionProtocol;
    readonly model: TranscriptionModel;
  },
): Promise<void> {
  const { config, accounting, connections } = deps;
  const { caller } = request;
  const budget = request.server.socketBudgets.open(caller.accountId);
  countPartialMessages(socket, request.raw.socket, budget);
  const connection = new TranscriptionSocket(socket, {
    idleMs: config.asrLiveIdleSeconds * 1000,
    protocol,
    budget,
    frameMaxBytes: config.bodyMaxBytes,
  });
  const releases: (() => void)[] = [];
  try {
    releases.push(connections.add(caller, (reason) => connection.closeForKey(reason), 'asr'));
    const { ticket } = await admitCaller(accounting, caller, {
      wallet: request.wallet,
      signal: connection.signal,
    });
    releases.push(ticket.release);
    // A session lasts as long as its audio, so it does not block the admission of other requests.
    ticket.markStarted();
    await serveSessions(connection, sessionDepsOf(deps, request, model));
  } catch (error) {
    closeWithError(connection, error, sessionDepsOf(deps, request, model).onFault);
  } finally {
    for (const release of releases) release();
  }
}

/** The source of the frames of a session that has no socket of its own. */
export interface TranscriptionSource {
  readonly request: AuthenticatedRequest;
  readonly model: TranscriptionModel;
  readonly frames: () => AsyncGenerator<TranscriptionClientFrame>;
  readonly onFrame: (frame: TranscriptionServerFrame) => void;
  readonly signal: AbortSignal;
}

/** Serves a live session without a socket of its own. Errors of the session are frames. */
export async function serveTranscriptionSource(
  deps: Omit<TranscriptionSocketDeps, 'connections'>,
  { request, model, frames, onFrame, signal }: TranscriptionSource,
): Promise<void> {
  const { ticket } = await admitCaller(deps.accounting, request.caller, { wallet: request.wallet, signal });
  try {
    ticket.markStarted();
    const connection: TranscriptionConnection = { signal, frames, send: onFrame, close: () => {} };
    await serveSessions(connection, sessionDepsOf(deps, request, model));
  } finally {
    ticket.release();
  }
}

/** Transcribes complete audio in one live session. Rejects with an `ApiError`. */
export async function transcribeOnce(
  deps: Omit<TranscriptionSocketDeps, 'connections'>,
  options: Pick<TranscriptionSource, 'request' | 'model' | 'signal'> & {
    /** The `request` of the `start` frame. */
    readonly startRequest: Readonly<Record<string, unknown>>;
    /** Consecutive parts of the audio. */
    readonly audio: readonly Uint8Array[];
  },
): Promise<{ readonly text: string; readonly durationSeconds: number }> {
  const { startRequest, audio, ...source } = options;
  const sent: TranscriptionServerFrame[] = [];
  await serveTranscriptionSource(deps, {
    ...source,
    async *frames() {
      yield { event: 'start', request: startRequest };
      for (const part of audio) yield { event: 'audio', audio: part };
      yield { event: 'stop' };
    },
    onFrame: (frame) => void sent.push(frame),
  });
  const failure = sent.find((frame) => frame.event === 'error');
  if (failure !== undefined) throw new ApiError(failure.code, failure.error);
  const result = sent.find((frame) => frame.event === 'finish' && frame.reason === 'stop');
  return { text: result?.text ?? '', durationSeconds: result?.duration ?? 0 };
}

/** The dependencies of the sessions of one caller. */
function sessionDepsOf(
  { transcription, config, accounting }: Omit<TranscriptionSocketDeps, 'connections'>,
  request: AuthenticatedRequest,
  model: TranscriptionModel,
): LiveTranscriptionDeps {
  return {
    transcription,
    model,
    accountId: request.caller.accountId,
    maxSeconds: config.asrMaxSeconds,
    openCharge: () => TranscriptionCharge.open(accounting.billing, request.caller, { model }),
    onFault: (error) => request.log.error({ err: error }, 'live transcription failed'),
  };
}
