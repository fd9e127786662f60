import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { CLOSE_CODES } from './close-codes.ts';
import { closeSocket } from './close-socket.ts';
import type { SocketBudget } from './socket-budgets.ts';

/** Header of a masked control frame (RFC 6455, section 5.2). */
const CONTROL_HEADER_BYTES = 6;
/** Time for the closing handshake of a client that exceeds the limit: its bytes stay in memory meanwhile. */
const CLOSE_MS = 500;

/**
 * Counts the bytes of messages that are not received completely, which the WebSocket library keeps in memory. Closes
 * the socket when the account exceeds its limit: waiting would not help, because the message is incomplete.
 */
export function countPartialMessages(
  socket: WebSocket,
  connection: Pick<Socket, 'on' | 'off'>,
  budget: Pick<SocketBudget, 'setPartialBytes'>,
): void {
  let bytes = 0;
  const count = (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (budget.setPartialBytes(bytes)) return;
    connection.off('data', count);
    closeSocket(socket, { code: CLOSE_CODES.tryAgainLater, reason: 'queue_full', withinMs: CLOSE_MS });
  };
  connection.on('data', count);
  socket.on('message', () => {
    bytes = 0;
    budget.setPartialBytes(0);
  });
  // Pings and pongs may come between the fragments of a message.
  const subtract = (data: Buffer) => {
    bytes = Math.max(0, bytes - data.length - CONTROL_HEADER_BYTES);
    budget.setPartialBytes(bytes);
  };
  socket.on('ping', subtract);
  socket.on('pong', subtract);
}
