import type { WebSocket } from 'ws';
import type { CloseCode } from './close-codes.ts';

/** Time a client has to answer our closing before it is cut off. */
const CLOSING_MS = 5000;
/** The same for a client whose key is not valid any more. */
export const DISMISSING_MS = 500;

/** Closes a socket, and cuts it off when the client does not answer in time. */
export function closeSocket(
  socket: WebSocket,
  { code, reason = '', withinMs = CLOSING_MS }: { code: CloseCode; reason?: string; withinMs?: number },
): void {
  socket.close(code, reason);
  cutOffAfter(socket, withinMs);
}

/** Cuts a socket off unless it is closed by then. */
export function cutOffAfter(socket: WebSocket, ms: number): void {
  const timer = setTimeout(() => socket.terminate(), ms).unref();
  socket.once('close', () => clearTimeout(timer));
}
