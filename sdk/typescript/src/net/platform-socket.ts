import { ConnectionError, errorOf } from '../errors.ts';
import type { Connector } from './connector.ts';

/**
 * Connects with the platform's WebSocket: browsers, Deno, Bun, and Node 22 or newer. The message limit applies after
 * a message has been received, because the platform offers no earlier check.
 */
export const connectWithPlatform: Connector = async (url, { headers, messageMaxBytes, signal, events }) => {
  const query = headers.model === undefined ? '' : `?model=${encodeURIComponent(headers.model)}`;
  const socket = open(url + query, headers);
  socket.binaryType = 'arraybuffer';
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      socket.onclose = null;
      socket.onerror = null;
      socket.close();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.onopen = () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    // Node 22 reports a rejected handshake as `error` without `close`.
    socket.onerror = () => {
      socket.onclose = null;
      void handshakeErrorOf(url + query, headers, signal).then(reject);
    };
    socket.onclose = () => void handshakeErrorOf(url + query, headers, signal).then(reject);
  });
  socket.onerror = null;
  let error: ConnectionError | undefined;
  socket.onmessage = ({ data }) => {
    if (!(data instanceof ArrayBuffer) || error !== undefined) return;
    if (data.byteLength <= messageMaxBytes) events.onMessage(new Uint8Array(data));
    else {
      error = new ConnectionError(`The server sent a message of more than ${messageMaxBytes} bytes.`);
      events.onClose(error);
      socket.close();
    }
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
};

/** Node and Bun accept headers. Browsers and Deno do not, so the key is sent as a subprotocol. */
function open(url: string, headers: Readonly<Record<string, string>>): WebSocket {
  const isNodeOrBun = typeof process !== 'undefined' && !!process.versions?.node && !('Deno' in globalThis);
  if (isNodeOrBun) {
    // The standard declares only subprotocols as the second argument.
    return new WebSocket(url, { headers } as unknown as string[]);
  }
  const key = headers.authorization?.replace('Bearer ', '');
  return new WebSocket(url, key === undefined ? ['mynah'] : ['mynah', `mynah.key.${key}`]);
}

/** The platform reports no reason for a rejected handshake. A plain HTTP request is rejected with the same error. */
async function handshakeErrorOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await fetch(url.replace(/^ws/, 'http'), { headers, signal }).catch(() => undefined);
  if (signal.aborted) return signal.reason;
  if (response === undefined) return new ConnectionError('The server cannot be reached.');
  if (response.status === 426) return new ConnectionError('The server rejected the WebSocket.');
  return errorOf({
    status: response.status,
    text: await response.text(),
    header: (name) => response.headers.get(name),
  });
}
