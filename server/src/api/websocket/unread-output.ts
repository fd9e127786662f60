import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { sendQueueBytes } from '../responses/send-queue.ts';

const connections = new WeakMap<WebSocket, Socket>();

/** Registers the TCP connection of a WebSocket, which the library does not expose. */
export function registerConnection(socket: WebSocket, connection: Socket): void {
  connections.set(socket, connection);
}

/** Bytes that the client has not read: in memory, and in the send buffer of the system where that is known. */
export async function unreadOutputBytes(socket: WebSocket): Promise<number> {
  const connection = connections.get(socket);
  const queued = connection === undefined ? undefined : await sendQueueBytes(connection);
  return socket.bufferedAmount + (queued ?? 0);
}
