import type { WebSocket } from 'ws';
import type { CloseCode } from './close-codes.ts';

/** Time for a client to complete the closing handshake before the connection is terminated. */
const CLOSE_MS = 5000;
/** The same for a client whose key is no longer valid. */
export const INVALID_KEY_CLOSE_MS = 500;

/** Closes a socket, and terminates it when the closing handshake does not complete in time. */
export function closeSocket(
  socket: WebSocket,
  { code, reason = '', withinMs = CLOSE_MS }: { code: CloseCode; reason?: string; withinMs?: number },
): void {
  socket.close(code, reason);
  terminateAfter(socket, withinMs);
}

/** Terminates a socket unless it is closed within this time. */
export function terminateAfter(socket: WebSocket, ms: number): void {
  const timer = setTimeout(() => socket.terminate(), ms).unref();
  socket.once('close', () => clearTimeout(timer));
}
