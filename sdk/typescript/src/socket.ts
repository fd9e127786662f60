import { ConnectionError, errorOf } from './errors.ts';
import type { Transport } from './transport.ts';

/** A WebSocket that carries binary messages, as much of one as we need. */
export interface Socket {
  send(bytes: Uint8Array): void;
  /** Bytes that were sent and have not left yet. */
  readonly bufferedBytes: number;
  /** Messages in order, until the other side closes. Throws when the connection breaks. */
  messages(): AsyncGenerator<Uint8Array, void>;
  close(): void;
}

/** What a socket implementation reports. */
export interface SocketEvents {
  onMessage(bytes: Uint8Array): void;
  /** Once. Without an error: the other side closed properly. */
  onClose(error?: Error): void;
}

/** Opens a socket with the client's key. Rejects with the server's own error when it refuses the handshake. */
export async function openSocket(
  transport: Transport,
  path: string,
  options: { readonly model?: string | undefined; readonly signal?: AbortSignal | undefined },
): Promise<Socket> {
  options.signal?.throwIfAborted();
  const url = transport.baseUrl.replace(/^http/, 'ws') + path;
  const headers = transport.headers({ model: options.model });
  const inbox = new Inbox();
  const isNode = typeof process !== 'undefined' && !!process.versions?.node && !('Bun' in globalThis);
  const open = isNode ? (await import('./node-socket.ts')).openNodeSocket : openWebSocket;
  const raw = await open(url, headers, inbox);
  const onAbort = () => {
    inbox.onClose(toError(options.signal?.reason));
    raw.close();
  };
  options.signal?.addEventListener('abort', onAbort, { once: true });
  inbox.whenClosed(() => options.signal?.removeEventListener('abort', onAbort));
  return {
    send: (bytes) => raw.send(bytes),
    get bufferedBytes() {
      return raw.bufferedBytes;
    },
    messages: () => inbox.messages(),
    close: () => raw.close(),
  };
}

/** What an implementation gives back. */
export interface RawSocket {
  send(bytes: Uint8Array): void;
  readonly bufferedBytes: number;
  close(): void;
}

/** Keeps messages until somebody asks for them. */
class Inbox implements SocketEvents {
  readonly #waiting: Uint8Array[] = [];
  #isClosed = false;
  #error: Error | undefined;
  #wake: () => void = () => {};
  #afterClose: () => void = () => {};

  onMessage(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#wake();
  }

  onClose(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#error = error;
    this.#wake();
    this.#afterClose();
  }

  whenClosed(then: () => void): void {
    this.#afterClose = then;
    if (this.#isClosed) then();
  }

  async *messages(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (this.#error !== undefined) throw this.#error;
      else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** The platform's own WebSocket. Browsers cannot send headers, so the key travels as a subprotocol. */
async function openWebSocket(
  url: string,
  headers: Record<string, string>,
  events: SocketEvents,
): Promise<RawSocket> {
  const key = headers.authorization?.replace('Bearer ', '') ?? '';
  const query = headers.model === undefined ? '' : `?model=${encodeURIComponent(headers.model)}`;
  const socket = new WebSocket(url + query, ['mynah', `mynah.key.${key}`]);
  socket.binaryType = 'arraybuffer';
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onclose = () => void refusalOf(url + query, headers).then(reject);
  });
  socket.onmessage = ({ data }) => {
    if (data instanceof ArrayBuffer) events.onMessage(new Uint8Array(data));
  };
  socket.onclose = ({ code, wasClean }) =>
    events.onClose(wasClean ? undefined : new ConnectionError(`The WebSocket broke (${code}).`));
  return {
    send: (bytes) => socket.send(bytes as Uint8Array<ArrayBuffer>),
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    close: () => socket.close(),
  };
}

/** Browsers do not tell why a handshake was refused; a plain request is refused for the same reason, in words. */
async function refusalOf(url: string, headers: Record<string, string>): Promise<Error> {
  const answer = await fetch(url.replace(/^ws/, 'http'), { headers }).catch(() => undefined);
  if (answer === undefined) return new ConnectionError('The server cannot be reached.');
  if (answer.status === 426) return new ConnectionError('The server refused the WebSocket.');
  return errorOf({
    status: answer.status,
    text: await answer.text(),
    header: (name) => answer.headers.get(name),
  });
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
