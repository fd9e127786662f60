import type { FastifyBaseLogger } from 'fastify';
import type { WebSocket } from 'ws';
import { type CloseReason, closeErrorOf } from '../../domain/accounts/keys/live-connections.ts';
import { ApiError } from '../../errors.ts';
import { toApiError } from '../wire/error-handler.ts';
import { CLOSE_CODES, type CloseCode, closeCodeOf } from './close-codes.ts';
import { closeSocket, INVALID_KEY_CLOSE_MS, terminateAfter } from './close-socket.ts';
import { FrameWriter, StalledReaderError } from './frame-writer.ts';
import type { SpeechClientFrame } from './live-speech-frames.ts';
import type { LiveSpeechProtocol } from './live-speech-protocol.ts';
import {
  type AdmittedSession,
  LiveSpeechSession,
  type LiveSpeechSessionOptions,
} from './live-speech-session.ts';

export interface LiveSpeechSocketOptions
  extends Pick<LiveSpeechSessionOptions, 'speech' | 'hasTimings' | 'bufferMaxChars' | 'budget'> {
  readonly logger: FastifyBaseLogger;
  readonly protocol: LiveSpeechProtocol;
  /** Validates the request of a `start` frame and waits for admission. */
  readonly admit: (request: Record<string, unknown>, signal: AbortSignal) => Promise<AdmittedSession>;
  readonly frameMaxBytes: number;
  /** Time without reading after which a client is disconnected. */
  readonly stallMs: number;
  /** Time without a session after which a socket is closed. */
  readonly idleMs: number;
  /** Time without a frame in either direction after which a session is ended. */
  readonly silenceMs: number;
}

/** One live speech socket: serves one session at a time until either side closes it. */
export class LiveSpeechSocket {
  readonly #socket: WebSocket;
  readonly #options: LiveSpeechSocketOptions;
  readonly #writer: FrameWriter;
  #session: LiveSpeechSession | undefined;
  #isClosing = false;
  #isDraining = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, options: LiveSpeechSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#writer = new FrameWriter(socket, options);
    // `ws` delivers a Buffer unless `binaryType` is changed.
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on('close', () => this.#handleClose());
    this.#restartIdleTimer();
  }

  /** Accepts no new session, and closes the socket after the running one. */
  drain(): void {
    this.#isDraining = true;
    if (this.#session === undefined) this.#close(CLOSE_CODES.goingAway);
  }

  /** Ends the running session with `shutting_down`. */
  stop(): void {
    if (this.#session === undefined) this.#socket.terminate();
    else this.#fail(new ApiError('shutting_down', 'The server is shutting down.'));
  }

  /** Ends the running session and closes the socket, because the API key is no longer valid. */
  closeForKey(reason: CloseReason): void {
    terminateAfter(this.#socket, INVALID_KEY_CLOSE_MS);
    this.#fail(closeErrorOf(reason), reason);
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    if (this.#isClosing) return;
    try {
      const { frameMaxBytes, protocol } = this.#options;
      if (bytes.length > frameMaxBytes) {
        throw new ApiError('body_too_large', `A frame has at most ${frameMaxBytes} bytes.`);
      }
      for (const frame of protocol.decode(bytes, isBinary)) this.#process(frame, bytes.length);
      this.#restartIdleTimer();
    } catch (error) {
      this.#fail(error);
    }
  }

  #process(frame: SpeechClientFrame, messageBytes: number): void {
    const session = this.#session;
    if (frame.event === 'start') {
      if (session !== undefined)
        throw createProtocolError('`start` was sent before the previous session finished.');
      this.#start(frame.request ?? {}, messageBytes);
    } else if (session === undefined || session.hasStopped) {
      throw createProtocolError(`\`${frame.event}\` was sent outside of a session.`);
    } else session.receive(frame);
  }

  #start(request: Record<string, unknown>, messageBytes: number): void {
    if (this.#isDraining) throw new ApiError('shutting_down', 'The server is shutting down.');
    const { budget } = this.#options;
    // The request, which may contain recordings, is kept until the end of the session.
    if (!budget.tryAdd(messageBytes)) {
      throw new ApiError('body_too_large', 'The WebSockets of the account hold too much data.');
    }
    const session = new LiveSpeechSession({
      ...this.#options,
      writer: this.#writer,
      admit: (signal) => this.#options.admit(request, signal),
      onSent: () => this.#restartIdleTimer(),
    });
    this.#session = session;
    session
      .run()
      .finally(() => budget.release(messageBytes))
      .then(
        () => this.#finish(session),
        (error: unknown) => this.#fail(error),
      );
  }

  #finish(session: LiveSpeechSession): void {
    this.#log(session, 'finished');
    this.#session = undefined;
    if (this.#options.protocol.isSingleSession) this.#close(CLOSE_CODES.normal);
    else if (this.#isDraining) this.#close(CLOSE_CODES.goingAway);
    else this.#restartIdleTimer();
  }

  /** Sends an `error` frame and a `finish` frame (clients read either one), and closes the socket. */
  #fail(error: unknown, reason?: CloseReason): void {
    if (this.#isClosing) return;
    const session = this.#session;
    this.#session = undefined;
    session?.abort(error);
    if (error instanceof StalledReaderError) {
      if (session) this.#log(session, 'stalled');
      this.#isClosing = true;
      this.#socket.terminate();
      return;
    }
    const apiError = toApiError(error);
    if (apiError.status >= 500)
      this.#options.logger.error({ err: error, code: apiError.code }, 'live session failed');
    if (session) this.#log(session, apiError.code);
    const { code, message } = apiError;
    const sendError = async () => {
      await this.#writer.send({ event: 'error', error: message, code });
      await this.#writer.send({ event: 'finish', reason: 'error', message, time: session?.elapsedMs ?? 0 });
    };
    // Sending fails only when the client has disconnected.
    sendError().then(
      () => this.#close(closeCodeOf(code), reason ?? code),
      () => this.#socket.terminate(),
    );
    this.#isClosing = true;
  }

  /** Either side has closed the connection. */
  #handleClose(): void {
    clearTimeout(this.#idleTimer);
    const session = this.#session;
    this.#session = undefined;
    this.#isClosing = true;
    if (session === undefined) return;
    session.abort(new Error('The client closed the connection.'));
    this.#log(session, 'left');
  }

  #close(code: CloseCode, reason = ''): void {
    this.#isClosing = true;
    clearTimeout(this.#idleTimer);
    closeSocket(this.#socket, { code, reason });
  }

  #restartIdleTimer(): void {
    if (this.#isClosing) return;
    clearTimeout(this.#idleTimer);
    const { idleMs, silenceMs } = this.#options;
    this.#idleTimer =
      this.#session === undefined
        ? setTimeout(() => this.#close(CLOSE_CODES.normal), idleMs)
        : setTimeout(() => this.#fail(new ApiError('live_silence', IDLE_MESSAGE)), silenceMs);
  }

  /** Writes one log line per session. It contains no text of the session. */
  #log(session: LiveSpeechSession, outcome: string): void {
    this.#options.logger.info({ ...session.report, outcome }, 'live session ended');
  }
}

const IDLE_MESSAGE = 'No text was received in time. Send `stop` when a text is complete.';

function createProtocolError(message: string): ApiError {
  return new ApiError('live_protocol', message);
}
