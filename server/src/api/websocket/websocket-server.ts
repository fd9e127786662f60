import type { IncomingMessage } from 'node:http';
import websocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import { ALL_ACCOUNTS } from '../../domain/accounts/limits/account-slots.ts';
import { ApiError } from '../../errors.ts';
import type { ApiConfig, ApiDeps } from '../dependencies.ts';
import { chooseSubprotocol } from '../wire/subprotocols.ts';
import { isAllowedOrigin } from './allowed-origin.ts';
import { CLOSE_CODES } from './close-codes.ts';
import { LiveSpeechSockets } from './live-speech-sockets.ts';
import { limitFrameRate, limitOutput } from './read-gate.ts';
import { SocketBudgets } from './socket-budgets.ts';
import { registerConnection } from './unread-output.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Limits on the unprocessed bytes of WebSockets. */
    socketBudgets: SocketBudgets;
  }
}

/**
 * Adds WebSocket support to Fastify and returns the registry of live speech sockets. Call it before any other hook
 * is added: its own hooks close the connection of a handshake that a later hook rejects.
 */
export async function addWebSockets(
  app: FastifyInstance,
  config: Pick<
    ApiConfig,
    | 'bodyMaxBytes'
    | 'streamStallSeconds'
    | 'liveSocketMaxBytes'
    | 'liveAccountMaxBytes'
    | 'liveFramesPerSecond'
  >,
): Promise<LiveSpeechSockets> {
  const sockets = new LiveSpeechSockets();
  await app.register(websocket, {
    // Twice the frame limit: a frame slightly above the limit gets an error frame, a much larger one is not read.
    options: {
      maxPayload: 2 * config.bodyMaxBytes,
      handleProtocols: chooseSubprotocol,
      // One message per turn of the event loop: a packet can hold thousands of short ones.
      allowSynchronousEvents: false,
    },
    preClose(done) {
      sockets.drain();
      for (const socket of app.websocketServer.clients) {
        if (!sockets.has(socket)) socket.close(CLOSE_CODES.goingAway);
      }
      done();
    },
    // Called for a broken connection and for a violation of the WebSocket protocol.
    errorHandler(error, socket, request) {
      request.log.debug({ err: error }, 'WebSocket failed');
      socket.terminate();
    },
  });
  app.websocketServer.on('connection', (socket, request: IncomingMessage) => {
    registerConnection(socket, request.socket);
    limitOutput(socket, { stallMs: config.streamStallSeconds * 1000 });
    limitFrameRate(socket, { perSecond: config.liveFramesPerSecond });
  });
  app.decorate(
    'socketBudgets',
    new SocketBudgets({
      socketMaxBytes: config.liveSocketMaxBytes,
      accountMaxBytes: config.liveAccountMaxBytes,
    }),
  );
  return sockets;
}

/**
 * Rejects upgrades on HTTP routes, plain requests on WebSocket routes, sockets above the limits, and in open mode those
 * of pages of other origins.
 */
export function guardSockets(
  app: FastifyInstance,
  { config, connections, slots }: Pick<ApiDeps, 'config' | 'connections' | 'slots'>,
): void {
  app.addHook('onRequest', async (request) => {
    if (request.is404) return;
    const { isWebSocket = false } = request.routeOptions.config;
    if (request.ws && !isWebSocket) throw new ApiError('not_found', 'This route is not a WebSocket.');
    if (!request.ws && isWebSocket) throw new ApiError('upgrade_required', 'This route is a WebSocket.');
    if (!isWebSocket) return;
    // With keys required, the key is proof enough; in open mode any page could make one up.
    const origins = { host: request.host, allowed: config.corsOrigins };
    if (config.openMode && !isAllowedOrigin(request.headers.origin, origins)) {
      throw new ApiError('cross_site_request', 'A page of another origin cannot open this WebSocket.');
    }
    if (app.websocketServer.clients.size >= config.liveSocketsMax) throw createTooManySocketsError();
    const releaseWithSocket = (release: () => void) => {
      if (request.raw.socket.destroyed) release();
      else request.raw.socket.once('close', release);
    };
    if (request.caller) releaseWithSocket(await connections.reserve(request.caller.accountId));
    if (slots !== undefined) {
      const slot = await slots.take('socket', ALL_ACCOUNTS, config.liveSocketsMax);
      if (slot === undefined) throw createTooManySocketsError();
      releaseWithSocket(() => void slot.release());
    }
  });
}

function createTooManySocketsError(): ApiError {
  return new ApiError('too_many_connections', 'The server has too many open WebSockets.', {
    retryAfterSeconds: 5,
  });
}
