import type { FastifyBaseLogger } from 'fastify';
import type { WebSocket } from 'ws';
import type { CloseReason } from '../../domain/accounts/keys/live-connections.ts';
import { ApiError } from '../../errors.ts';
import { toApiError } from '../wire/error-handler.ts';
import { CLOSE_CODES, type CloseCode, closeCodeOf } from './close-codes.ts';
import { closeSocket, cutOffAfter, DISMISSING_MS } from './close-socket.ts';
import { FrameWriter, StalledReaderError } from './frame-writer.ts';
import type { LiveDialect } from './live-dialect.ts';
import type { ClientFrame } from './live-frames.ts';
import { type Admitted, LiveSession, type LiveSessionOptions } from './live-session.ts';

export interface LiveSocketOptions
  extends Pick<LiveSessionOptions, 'speech' | 'hasTimings' | 'bufferMaxChars'> {
  readonly logger: FastifyBaseLogger;
  readonly dialect: LiveDialect;
  /** Checks the request of a `start` frame and waits for its turn. */
  readonly admit: (request: Record<string, unknown>, signal: AbortSignal) => Promise<Admitted>;
  readonly frameMaxBytes: number;
  /** A client that takes nothing for so long is disconnected. */
  readonly stallMs: number;
  /** A socket without a session is closed after so long. */
  readonly idleMs: number;
  /** A session in which nothing comes and nothing goes for so long is ended. */
  readonly silenceMs: number;
}

/** One live socket. Sessions follow each other on it until one side closes it. */
export class LiveSocket {
  readonly #socket: WebSocket;
  readonly #options: LiveSocketOptions;
  readonly #writer: FrameWriter;
  #session: LiveSession | undefined;
  #isClosing = false;
  #isDraining = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, options: LiveSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#writer = new FrameWriter(socket, options);
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on('close', () => this.#leave());
    this.#watch();
  }

  /** Takes no new session, and closes after the one that runs. */
  drain(): void {
    this.#isDraining = true;
    if (this.#session === undefined) this.#close(CLOSE_CODES.goingAway);
  }

  /** Ends whatever runs. The client is told, if it still listens. */
  stop(): void {
    if (this.#session === undefined) this.#socket.terminate();
    else this.#refuse(new ApiError('shutting_down', 'The server is stopping.'));
  }

  /** The key is not valid any more: ends whatever runs, and waits for no client that does not listen. */
  dismiss(reason: CloseReason): void {
    cutOffAfter(this.#socket, DISMISSING_MS);
    this.#refuse(new ApiError('invalid_api_key', 'The API key is no longer valid.'), reason);
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    if (this.#isClosing) return;
    try {
      const { frameMaxBytes, dialect } = this.#options;
      if (bytes.length > frameMaxBytes) {
        throw new ApiError('body_too_large', `A frame may have at most ${frameMaxBytes} bytes.`);
      }
      for (const frame of dialect.read(bytes, isBinary)) this.#obey(frame);
      this.#watch();
    } catch (error) {
      this.#refuse(error);
    }
  }

  #obey(frame: ClientFrame): void {
    const session = this.#session;
    if (frame.event === 'start') {
      if (session !== undefined) throw outOfOrder('A `start` came before the last session was finished.');
      this.#start(frame.request ?? {});
    } else if (session === undefined || session.hasStopped) {
      throw outOfOrder(`A \`${frame.event}\` came outside of a session.`);
    } else session.take(frame);
  }

  #start(request: Record<string, unknown>): void {
    if (this.#isDraining) throw new ApiError('shutting_down', 'The server is stopping.');
    const session = new LiveSession({
      ...this.#options,
      writer: this.#writer,
      admit: (signal) => this.#options.admit(request, signal),
      onSent: () => this.#watch(),
    });
    this.#session = session;
    session.run().then(
      () => this.#finish(session),
      (error: unknown) => this.#refuse(error),
    );
  }

  #finish(session: LiveSession): void {
    this.#log(session, 'finished');
    this.#session = undefined;
    if (this.#options.dialect.hasOneSession) this.#close(CLOSE_CODES.normal);
    else if (this.#isDraining) this.#close(CLOSE_CODES.goingAway);
    else this.#watch();
  }

  /** Tells the client what went wrong, in the two ways that clients know, and closes. */
  #refuse(error: unknown, reason?: CloseReason): void {
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
    const known = toApiError(error);
    if (known.status >= 500)
      this.#options.logger.error({ err: error, code: known.code }, 'live session failed');
    if (session) this.#log(session, known.code);
    const { code, message } = known;
    const tell = async () => {
      await this.#writer.send({ event: 'error', error: message, code });
      await this.#writer.send({ event: 'finish', reason: 'error', message, time: session?.elapsedMs ?? 0 });
    };
    // Whoever cannot be told is gone.
    tell().then(
      () => this.#close(closeCodeOf(code), reason ?? code),
      () => this.#socket.terminate(),
    );
    this.#isClosing = true;
  }

  /** The client has gone, or the socket was closed by us. */
  #leave(): void {
    clearTimeout(this.#timer);
    const session = this.#session;
    this.#session = undefined;
    this.#isClosing = true;
    if (session === undefined) return;
    session.abort(new Error('The client closed the connection.'));
    this.#log(session, 'left');
  }

  #close(code: CloseCode, reason = ''): void {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    closeSocket(this.#socket, { code, reason });
  }

  /** Begins to wait again for something to happen. */
  #watch(): void {
    if (this.#isClosing) return;
    clearTimeout(this.#timer);
    const { idleMs, silenceMs } = this.#options;
    this.#timer =
      this.#session === undefined
        ? setTimeout(() => this.#close(CLOSE_CODES.normal), idleMs)
        : setTimeout(() => this.#refuse(new ApiError('live_silence', NOTHING_CAME)), silenceMs);
  }

  /** One line per session. Never a word of its text. */
  #log(session: LiveSession, outcome: string): void {
    this.#options.logger.info({ ...session.report, outcome }, 'live session ended');
  }
}

const NOTHING_CAME = 'No text came for too long. Send `stop` when a text is complete.';

function outOfOrder(message: string): ApiError {
  return new ApiError('live_protocol', message);
}
