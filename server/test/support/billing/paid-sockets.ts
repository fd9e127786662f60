import { once } from 'node:events';
import { unpack } from 'msgpackr';
import { WebSocket } from 'ws';

/** Where a request is sent. */
export interface Target {
  readonly url: string;
  readonly key: string;
}

/** A decoded message of the server. */
export type SocketMessage = Readonly<Record<string, unknown>>;

/**
 * Opens a socket, sends messages and resolves with the first received message that ends the exchange. Aborting the
 * signal terminates the connection without a closing handshake. Rejects when the socket closes before.
 */
export async function exchangeMessages(
  { url, key }: Target,
  options: {
    readonly path: string;
    readonly messages: readonly (Buffer | string)[];
    readonly isLast: (message: SocketMessage) => boolean;
    readonly signal: AbortSignal;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<SocketMessage> {
  const { path, messages, isLast, signal } = options;
  const socket = new WebSocket(url.replace('http', 'ws') + path, {
    headers: { authorization: `Bearer ${key}`, 'xi-api-key': key, ...options.headers },
  });
  const terminate = () => socket.terminate();
  signal.addEventListener('abort', terminate);
  try {
    const last = new Promise<SocketMessage>((resolve, reject) => {
      socket.on('message', (data, isBinary) => {
        const bytes = data as Buffer;
        const message = (isBinary ? unpack(bytes) : JSON.parse(String(bytes))) as SocketMessage;
        if (isLast(message)) resolve(message);
      });
      socket.once('error', reject);
      socket.once('close', (code) => reject(new Error(`The socket was closed with ${code}.`)));
    });
    // A failed handshake is reported by `once`.
    last.catch(() => {});
    await once(socket, 'open', { signal });
    for (const message of messages) socket.send(message);
    return await last;
  } finally {
    signal.removeEventListener('abort', terminate);
    socket.terminate();
  }
}
