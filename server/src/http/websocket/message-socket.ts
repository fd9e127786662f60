import { Packr, Unpackr } from 'msgpackr';
import type { RawData, WebSocket } from 'ws';
import { ApiError } from '../../errors.ts';
import type { CloseReason } from '../../keys/live-connections.ts';
import { Channel } from '../../workers/channel.ts';
import { CLOSE_CODES, type CloseCode } from './close-codes.ts';
import { closeSocket, DISMISSING_MS } from './close-socket.ts';

/** One message: a map with the name of its event. */
export interface SocketMessage {
  readonly event: string;
  readonly [field: string]: unknown;
}

const NOTHING_CAME = 'Nothing came for too long. Send `stop` when all was said.';
const packr = new Packr({ useRecords: false });
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });
/** Messages that may wait to be read before the client is made to wait. */
const WAITING_MAX = 64;

/** A WebSocket that carries one MessagePack map in each binary frame. Text frames are ignored. */
export class MessageSocket {
  readonly #socket: WebSocket;
  readonly #messages = new Channel<SocketMessage>(() => {});
  readonly #gone = new AbortController();
  readonly #idleMs: number;
  #idleTimer: NodeJS.Timeout | undefined;
  #waiting = 0;
  /** A message is being worked on: that nothing else comes is no silence. */
  #isBusy = false;

  constructor(
    socket: WebSocket,
    options: { /** A longer silence ends the messages. */ readonly idleMs: number },
  ) {
    this.#socket = socket;
    this.#idleMs = options.idleMs;
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.#receive(data);
    });
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
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(packr.pack(message), () => {});
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

  #receive(data: RawData): void {
    const message = read(data);
    if (message === undefined) {
      this.#messages.fail(new ApiError('invalid_body', 'A frame is a MessagePack map with an `event`.'));
      return;
    }
    this.#restartIdle();
    this.#waiting += 1;
    if (this.#waiting >= WAITING_MAX) this.#socket.pause();
    this.#messages.push(message);
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

function read(data: RawData): SocketMessage | undefined {
  try {
    const message: unknown = unpackr.unpack(
      Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer),
    );
    const isMessage = typeof message === 'object' && message !== null && 'event' in message;
    return isMessage && typeof message.event === 'string' ? (message as SocketMessage) : undefined;
  } catch {
    return undefined;
  }
}
