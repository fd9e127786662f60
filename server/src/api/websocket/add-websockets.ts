import websocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.ts';
import type { ApiConfig, ApiDeps } from '../dependencies.ts';
import { chooseSubprotocol } from '../wire/subprotocols.ts';
import { CLOSE_CODES } from './close-codes.ts';
import { LiveSockets } from './live-sockets.ts';

/**
 * Lets routes be WebSockets, and gives the sockets of live speech. Must come before all other hooks: its own are
 * what closes the connection of a handshake that a later hook refuses.
 */
export async function addWebSockets(
  app: FastifyInstance,
  config: Pick<ApiConfig, 'bodyMaxBytes'>,
): Promise<LiveSockets> {
  const sockets = new LiveSockets();
  await app.register(websocket, {
    // Frames a little too large are answered in words; what is far too large is not even read.
    options: { maxPayload: 2 * config.bodyMaxBytes, handleProtocols: chooseSubprotocol },
    preClose(done) {
      sockets.drain();
      for (const socket of app.websocketServer.clients) {
        if (!sockets.has(socket)) socket.close(CLOSE_CODES.goingAway);
      }
      done();
    },
    // A client that breaks off, or breaks the protocol of WebSockets itself.
    errorHandler(error, socket, request) {
      request.log.debug({ err: error }, 'a socket failed');
      socket.terminate();
    },
  });
  return sockets;
}

/** Refuses upgrades of routes that are none, plain requests to those that are, and sockets beyond the limits. */
export function guardSockets(
  app: FastifyInstance,
  { config, connections }: Pick<ApiDeps, 'config' | 'connections'>,
): void {
  app.addHook('onRequest', async (request) => {
    if (request.is404) return;
    const { isWebSocket = false } = request.routeOptions.config;
    if (request.ws && !isWebSocket) throw new ApiError('not_found', 'This route is no WebSocket.');
    if (!request.ws && isWebSocket) throw new ApiError('upgrade_required', 'This route is a WebSocket.');
    if (!isWebSocket) return;
    if (app.websocketServer.clients.size >= config.liveSocketsMax) {
      throw new ApiError('too_many_connections', 'The server has too many live sockets open.', {
        retryAfterSeconds: 5,
      });
    }
    connections.assertRoom(request.caller!.accountId);
  });
}
