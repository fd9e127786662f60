import type { IncomingMessage } from 'node:http';
import type { WebSocket as WsSocket } from 'ws';
import { ConnectionError, errorOf } from '../errors.ts';
import type { Connector } from './connector.ts';
import { importNode } from './import-node.ts';

type Ws = typeof import('ws');

/** Close code that `ws` reports for a connection without a close frame. */
const ABNORMAL_CLOSURE = 1006;
/** Time for the peer to complete the closing handshake. */
const CLOSE_MS = 2_000;
/** Maximum body of a rejected handshake that is read for the error. */
const ERROR_BODY_MAX_CHARS = 64 * 1024;

/** The package `ws`, an optional peer dependency; undefined where it is not installed, and outside of Node. */
export async function importWs(): Promise<Ws | undefined> {
  const isNode =
    typeof process !== 'undefined' &&
    !!process.versions?.node &&
    !('Bun' in globalThis) &&
    !('Deno' in globalThis);
  return isNode ? importNode<Ws>('ws').catch(() => undefined) : undefined;
}

/** Connects with `ws`, which sends headers and reports the response of a rejected handshake. */
export function connectWithWs({ WebSocket }: Ws): Connector {
  return async (url, { headers, messageMaxBytes, signal, events }) => {
    const options = {
      headers,
      maxPayload: messageMaxBytes,
      perMessageDeflate: false,
      // Since 8.19; the type declarations lack it.
      closeTimeout: CLOSE_MS,
    };
    const socket = new WebSocket(url, options);
    let error: Error | undefined;
    let isClosing = false;
    socket.on('error', (cause) => {
      error ??= new ConnectionError(`The connection to the server failed: ${cause.message}.`, { cause });
    });
    // Before `open`, so that no message is lost.
    socket.on('message', (data, isBinary) => {
      // `ws` delivers a Buffer unless `binaryType` is changed.
      if (isBinary) events.onMessage(data as Buffer);
    });
    await untilOpen(socket, signal, () => error);
    socket.on('close', (code) => {
      const isBroken = code === ABNORMAL_CLOSURE && !isClosing;
      events.onClose(
        isBroken ? (error ?? new ConnectionError('The connection broke in mid-stream.')) : undefined,
      );
    });
    return {
      send: (bytes) => socket.send(bytes),
      get bufferedBytes() {
        return socket.bufferedAmount;
      },
      close() {
        if (isClosing) return;
        isClosing = true;
        socket.close(1000);
        const timer = setTimeout(() => socket.terminate(), CLOSE_MS);
        timer.unref();
        socket.once('close', () => clearTimeout(timer));
      },
    };
  };
}

function untilOpen(
  socket: WsSocket,
  signal: AbortSignal,
  errorOfSocket: () => Error | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      socket.terminate();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = (action: () => void) => () => {
      signal.removeEventListener('abort', onAbort);
      action();
    };
    socket.once('open', settle(resolve));
    socket.once(
      'close',
      settle(() => reject(errorOfSocket() ?? new ConnectionError('The server cannot be reached.'))),
    );
    socket.once('unexpected-response', (_request, response) => {
      void readError(response).then((error) => {
        settle(() => reject(error))();
        socket.terminate();
      });
    });
  });
}

async function readError(response: IncomingMessage): Promise<Error> {
  let text = '';
  response.setEncoding('utf8');
  try {
    for await (const chunk of response) {
      text += chunk as string;
      if (text.length > ERROR_BODY_MAX_CHARS) break;
    }
  } catch {
    // The status and the part of the body that arrived make up the error.
  }
  const header = (name: string) => [response.headers[name]].flat()[0];
  return errorOf({ status: response.statusCode ?? 500, text, header });
}
