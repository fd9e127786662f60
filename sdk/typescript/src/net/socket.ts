import { ConnectionError, TimeoutError } from '../errors.ts';
import type { Connector, RawSocket, SocketEvents } from './connector.ts';
import { connectWithPlatform } from './platform-socket.ts';
import type { Transport } from './transport.ts';
import { connectWithWs, importWs } from './ws-socket.ts';

/** A WebSocket for binary messages. */
export interface Socket {
  send(bytes: Uint8Array): void;
  /** Bytes that are queued and not transmitted yet. */
  readonly bufferedBytes: number;
  /** Messages in order until the peer closes. Throws when the connection breaks. */
  messages(): AsyncGenerator<Uint8Array, void>;
  close(): void;
}

export interface SocketOptions {
  readonly model?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Maximum time to connect. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the implementation, for tests. */
  readonly connector?: Connector | undefined;
  /** Replaces the message limit, for tests. */
  readonly messageMaxBytes?: number | undefined;
}

/** A larger message ends the connection. The server's messages are far smaller: audio comes in 64 KiB frames. */
const MESSAGE_MAX_BYTES = 16 * 1024 * 1024;

/** Opens a socket with the client's key. Rejects with the server's error when it rejects the handshake. */
export async function openSocket(
  transport: Transport,
  path: string,
  options: SocketOptions,
): Promise<Socket> {
  const { signal, timeoutMs = transport.timeoutMs } = options;
  signal?.throwIfAborted();
  const queue = new MessageQueue();
  const connect = options.connector ?? (await chooseConnector());
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const onTimeout = () => controller.abort(new TimeoutError(`Could not connect within ${timeoutMs} ms.`));
  const timer = setTimeout(onTimeout, timeoutMs);
  let raw: RawSocket;
  try {
    signal?.throwIfAborted();
    raw = await connect(transport.baseUrl.replace(/^http/, 'ws') + path, {
      headers: transport.headers({ ...options.headers, model: options.model }),
      messageMaxBytes: options.messageMaxBytes ?? MESSAGE_MAX_BYTES,
      signal: controller.signal,
      events: queue,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
  const closeOnAbort = () => {
    queue.onClose(toError(signal?.reason));
    raw.close();
  };
  if (signal?.aborted) {
    raw.close();
    throw signal.reason;
  }
  signal?.addEventListener('abort', closeOnAbort, { once: true });
  queue.whenClosed(() => signal?.removeEventListener('abort', closeOnAbort));
  return {
    send: (bytes) => raw.send(bytes),
    get bufferedBytes() {
      return raw.bufferedBytes;
    },
    messages: () => queue.messages(),
    close: () => raw.close(),
  };
}

/** In Node the package `ws` where it is installed; everywhere else, and without it, the platform's WebSocket. */
async function chooseConnector(): Promise<Connector> {
  const ws = await importWs();
  if (ws !== undefined) return connectWithWs(ws);
  if (typeof WebSocket !== 'undefined') return connectWithPlatform;
  throw new ConnectionError(
    'This version of Node has no WebSocket: install the package `ws`, or use Node 22.',
  );
}

/** Buffers messages until they are read. */
class MessageQueue implements SocketEvents {
  readonly #messages: Uint8Array[] = [];
  #isClosed = false;
  #error: Error | undefined;
  #wake: () => void = () => {};
  #afterClose: () => void = () => {};

  onMessage(bytes: Uint8Array): void {
    this.#messages.push(bytes);
    this.#wake();
  }

  onClose(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#error = error;
    this.#wake();
    this.#afterClose();
  }

  whenClosed(callback: () => void): void {
    this.#afterClose = callback;
    if (this.#isClosed) callback();
  }

  async *messages(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const next = this.#messages.shift();
      if (next !== undefined) yield next;
      else if (this.#error !== undefined) throw this.#error;
      else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
