import { Packr, Unpackr } from 'msgpackr';
import type { RawData, WebSocket } from 'ws';
import { AsyncQueue } from '../../concurrency/async-queue.ts';
import type { CloseReason } from '../../domain/accounts/keys/live-connections.ts';
import { ApiError } from '../../errors.ts';
import { CLOSE_CODES, type CloseCode } from './close-codes.ts';
import { closeSocket, DISMISSING_MS } from './close-socket.ts';

/** One message: a map with the name of its event. */
export interface SocketMessage {
  readonly event: string;
  readonly [field: string]: unknown;
}

/** How a socket talks: what its client sends, and how it is told what happens. */
export interface MessageDialect {
  /** What came means; empty when it means nothing. Throws an `ApiError` for what cannot be understood. */
  read(data: Buffer, isBinary: boolean): readonly SocketMessage[];
  /** What is to be sent: bytes, or text. */
  write(message: SocketMessage): readonly (Buffer | string)[];
}

const NOTHING_CAME = 'Nothing came for too long. Send `stop` when all was said.';
const packr = new Packr({ useRecords: false });
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

/** The native one: a MessagePack map in each binary message. Text is ignored. */
export const NATIVE_MESSAGES: MessageDialect = {
  read: (data, isBinary) => (isBinary ? [unpack(data)] : []),
  write: (message) => [packr.pack(message)],
};

/** Messages that may wait to be read before the client is made to wait. */
const WAITING_MAX = 64;

/** A WebSocket that carries messages, in whichever dialect. */
export class MessageSocket {
  readonly #socket: WebSocket;
  readonly #dialect: MessageDialect;
  readonly #messages = new AsyncQueue<SocketMessage>(() => {});
  readonly #gone = new AbortController();
  readonly #idleMs: number;
  #idleTimer: NodeJS.Timeout | undefined;
  #waiting = 0;
  /** A message is being worked on: that nothing else comes is no silence. */
  #isBusy = false;

  constructor(
    socket: WebSocket,
    options: {
      /** A longer silence ends the messages. */ readonly idleMs: number;
      readonly dialect: MessageDialect;
    },
  ) {
    this.#socket = socket;
    this.#idleMs = options.idleMs;
    this.#dialect = options.dialect;
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('close', () => this.#leave());
    // What went wrong is followed by `close`.
    socket.on('error', () => {});
    this.#restartIdle();
  }

  /** Aborts when the client is gone. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** What the client sends, until it leaves. Who reads slowly makes the client wait. Throws `live_silence`. */
  async *messages(): AsyncGenerator<SocketMessage> {
    for await (const message of this.#messages) {
      this.#waiting -= 1;
      if (this.#waiting === 0 && this.#socket.isPaused) this.#socket.resume();
      this.#isBusy = true;
      clearTimeout(this.#idleTimer);
      yield message;
      this.#isBusy = false;
      this.#restartIdle();
    }
  }

  send(message: SocketMessage): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    for (const data of this.#dialect.write(message)) this.#socket.send(data, () => {});
  }

  close(code: CloseCode, reason: string): void {
    closeSocket(this.#socket, { code, reason });
  }

  /** The key is not valid any more: waits for no client that does not listen. */
  dismiss(reason: CloseReason): void {
    const message = 'The API key is no longer valid.';
    this.send({ event: 'error', error: message, code: 'invalid_api_key' });
    this.send({ event: 'finish', reason: 'error', message });
    closeSocket(this.#socket, { code: CLOSE_CODES.policy, reason, withinMs: DISMISSING_MS });
  }

  #receive(data: RawData, isBinary: boolean): void {
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
    let messages: readonly SocketMessage[];
    try {
      messages = this.#dialect.read(bytes, isBinary);
    } catch (error) {
      this.#messages.fail(error);
      return;
    }
    this.#restartIdle();
    this.#waiting += messages.length;
    if (this.#waiting >= WAITING_MAX) this.#socket.pause();
    for (const message of messages) this.#messages.push(message);
  }

  #restartIdle(): void {
    clearTimeout(this.#idleTimer);
    if (this.#isBusy || this.gone.aborted) return;
    const silence = () => this.#messages.fail(new ApiError('live_silence', NOTHING_CAME));
    this.#idleTimer = setTimeout(silence, this.#idleMs).unref();
  }

  #leave(): void {
    clearTimeout(this.#idleTimer);
    this.#messages.end();
    this.#gone.abort(new Error('The client closed the connection.'));
  }
}

function unpack(data: Buffer): SocketMessage {
  let message: Partial<SocketMessage> | null;
  try {
    message = unpackr.unpack(data);
  } catch {
    // The parser's own message would quote the frame.
    message = null;
  }
  if (typeof message?.event === 'string') return message as SocketMessage;
  throw new ApiError('invalid_body', 'A frame is a MessagePack map with an `event`.');
}
