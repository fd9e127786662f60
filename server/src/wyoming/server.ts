import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Logger } from '../logger.ts';
import type { WyomingBackend } from './backend.ts';
import { WyomingConnection } from './connection.ts';

const CONNECTIONS_MAX = 64;
/** A connection on which nothing is sent or received for this time is closed. */
const IDLE_MS = 10 * 60 * 1000;

export interface WyomingServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the Wyoming protocol, which has no authentication, until `close`. */
export async function startWyomingServer(
  backend: WyomingBackend,
  { host, port, logger }: { readonly host: string; readonly port: number; readonly logger: Logger },
): Promise<WyomingServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', (err) => logger.debug({ err }, 'Wyoming connection failed'));
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.setNoDelay(true);
    new WyomingConnection(socket, { backend, logger });
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    // The address of a TCP server that listens is an object.
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
