import type { Server } from 'node:tls';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { ApiError } from '../../errors.ts';
import { addElevenLabsRoutes } from '../compat/elevenlabs/elevenlabs-routes.ts';
import { openAiErrorBody } from '../compat/error-envelopes.ts';
import { addOpenAiRoutes } from '../compat/openai/openai-routes.ts';
import type { ApiDeps } from '../dependencies.ts';
import { ReplayMemory } from '../metering/replay-memory.ts';
import { addAccessLog } from '../plugins/access-log.ts';
import { addAuth } from '../plugins/auth.ts';
import { addBodyParsers, discardBody } from '../plugins/body-parsers.ts';
import { addCors } from '../plugins/cors.ts';
import { addKeyWatch } from '../plugins/key-watch.ts';
import { addLimits } from '../plugins/limits.ts';
import { addNotFound } from '../plugins/not-found.ts';
import { addResponseDeadline } from '../plugins/response-deadline.ts';
import { addTelemetry } from '../plugins/telemetry.ts';
import { adminAccountRoutes } from '../routes/admin/admin-accounts.ts';
import { adminKeyRoutes } from '../routes/admin/admin-keys.ts';
import { adminLedgerRoutes } from '../routes/admin/admin-ledger.ts';
import { adminServerRoutes } from '../routes/admin/admin-server.ts';
import { asrRoutes } from '../routes/asr.ts';
import { asrJobRoutes } from '../routes/asr-jobs.ts';
import { asrLiveRoutes } from '../routes/asr-live.ts';
import { consoleFileRoutes, createPageSender, findConsole } from '../routes/console-files.ts';
import { consoleSessionRoutes } from '../routes/console-sessions.ts';
import { dictionaryRoutes } from '../routes/dictionaries.ts';
import { dictionaryVersionRoutes } from '../routes/dictionary-versions.ts';
import { docsRoutes } from '../routes/docs.ts';
import { dubRoutes } from '../routes/dub.ts';
import { healthRoutes } from '../routes/health.ts';
import { keyRoutes } from '../routes/keys.ts';
import { metricsRoutes } from '../routes/metrics.ts';
import { modelFileRoutes } from '../routes/model-files.ts';
import { modelWriteRoutes } from '../routes/model-writes.ts';
import { modelRoutes } from '../routes/models.ts';
import { probeRoutes } from '../routes/probes.ts';
import { referenceRoutes } from '../routes/references.ts';
import { speechToSpeechRoutes } from '../routes/speech-to-speech.ts';
import { ttsRoutes } from '../routes/tts.ts';
import { ttsJobRoutes } from '../routes/tts-jobs.ts';
import { ttsTimestampRoutes } from '../routes/tts-timestamps.ts';
import { usageRoutes } from '../routes/usage.ts';
import { voiceDesignRoutes } from '../routes/voice-design.ts';
import { walletRoutes } from '../routes/wallet.ts';
import { UploadQuota } from '../uploads/upload-quota.ts';
import { addLiveSpeechRoutes } from '../websocket/live-speech-routes.ts';
import { addWebSockets, guardSockets } from '../websocket/websocket-server.ts';
import { errorBody, errorSender, sendError } from '../wire/error-handler.ts';
import { respondToParseError } from '../wire/http-parse-error.ts';
import { addTraceHeader, traceIdOf } from '../wire/trace.ts';
import { UpgradableRequest } from '../wire/upgradable-request.ts';
import { validatorCompiler } from '../wire/validation.ts';
import { namePlugins } from './name-plugins.ts';
import { addOpenApi } from './openapi.ts';
import { collectOtherRoutes } from './other-routes.ts';
import { readTlsFiles, reloadTlsFiles } from './tls.ts';

const DRAIN_POLL_MS = 50;

/** Clients of Fish Audio and of OpenAI share `/v1`: an unknown path there has the fields of both. */
function errorBodyOf(error: ApiError, { is404, url }: FastifyRequest): object {
  const isShared = is404 && url.startsWith('/v1/');
  return { ...errorBody(error), ...(isShared && openAiErrorBody(error)) };
}

/** The HTTP server. */
export interface HttpServer {
  /** Starts to listen, and resolves with the URL. */
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly url: string }>;
  /** Rejects new requests, waits at most `drainMs` for running ones, then closes their connections. */
  close(drainMs: number): Promise<void>;
  /** Number of open TCP connections. */
  countConnections(): Promise<number>;
  /** The OpenAPI document. */
  openApi(): object;
}

/**
 * Fastify otherwise loads its own compilers, which take time and memory at the start. Its types know no Zod schemas here.
 */
const COMPILERS: object = {
  buildValidator: () => validatorCompiler,
  buildSerializer: () => serializerCompiler,
};

const SERVER_OPTIONS = { IncomingMessage: UpgradableRequest };

/** Builds the server. It does not listen yet. */
export async function createHttpServer(deps: ApiDeps): Promise<HttpServer> {
  let isDraining = false;
  const tls = readTlsFiles(deps.config);
  const app: FastifyInstance = fastify({
    // The types of Fastify derive the kind of server from a literal; its HTTPS server has all methods of an HTTP server.
    ...((tls ? { https: { ...tls, ...SERVER_OPTIONS } } : { http: SERVER_OPTIONS }) as object),
    loggerInstance: deps.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: traceIdOf,
    bodyLimit: deps.config.bodyMaxBytes,
    trustProxy: deps.config.trustProxy.length > 0 && [...deps.config.trustProxy],
    requestTimeout: deps.config.requestTimeoutSeconds * 1000,
    // Some clients append a path that starts with a slash to a base URL that ends in one.
    routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true },
    return503OnClosing: false,
    // No hook runs for these errors.
    frameworkErrors(error, request, reply) {
      reply.raw.once('finish', () => discardBody(request.raw));
      sendError(error, request, reply);
    },
    clientErrorHandler: respondToParseError,
    schemaController: { compilersFactory: COMPILERS },
  });
  namePlugins(app);
  app.setErrorHandler(errorSender(errorBodyOf));

  // Must be first: its hooks close the connection of a handshake that a later hook rejects.
  const sockets = await addWebSockets(app, deps.config);
  addTelemetry(app, deps);
  addTraceHeader(app);
  addAccessLog(app);
  addCors(app, deps.config);
  addResponseDeadline(app, { stallMs: deps.config.streamStallSeconds * 1000 });
  app.addHook('onRequest', async ({ routeOptions }) => {
    if (isDraining && routeOptions.url !== '/healthz')
      throw new ApiError('shutting_down', 'The server is stopping.', { retryAfterSeconds: 5 });
  });
  const consoleFiles = findConsole(deps);
  const handleNotFound = addNotFound(app, consoleFiles && createPageSender(consoleFiles));
  addAuth(app, deps);
  addKeyWatch(app, deps);
  guardSockets(app, deps);
  addLimits(app, deps);
  addBodyParsers(app, deps.config);
  app.decorate('uploadQuota', new UploadQuota(deps.config, deps.slots));
  const { accountBytesMax: accountMaxBytes } = deps.accounting.idempotency;
  app.decorate('replayMemory', new ReplayMemory({ accountMaxBytes }));
  await addOpenApi(app);
  collectOtherRoutes(app);
  await app.register(ttsRoutes, deps);
  await app.register(ttsTimestampRoutes, deps);
  await app.register(ttsJobRoutes, deps);
  await app.register(dubRoutes, deps);
  await app.register(speechToSpeechRoutes, { ...deps, ...deps.transcription });
  addLiveSpeechRoutes(app, deps, sockets);
  const transcriptionDeps = { ...deps, ...deps.transcription };
  await app.register(asrRoutes, transcriptionDeps);
  await app.register(asrLiveRoutes, transcriptionDeps);
  await app.register(asrJobRoutes, transcriptionDeps);
  await app.register(dictionaryRoutes, deps);
  await app.register(dictionaryVersionRoutes, deps);
  await app.register(modelRoutes, deps);
  await app.register(modelWriteRoutes, deps);
  await app.register(modelFileRoutes, deps);
  await app.register(voiceDesignRoutes, deps);
  await app.register(referenceRoutes, deps);
  await app.register(walletRoutes, deps);
  await app.register(usageRoutes, deps);
  await app.register(keyRoutes, deps);
  await app.register(adminAccountRoutes, deps);
  await app.register(adminKeyRoutes, deps);
  await app.register(adminLedgerRoutes, deps);
  await app.register(adminServerRoutes, deps);
  await addOpenAiRoutes(app, deps, handleNotFound);
  await addElevenLabsRoutes(app, deps, { handleNotFound, sockets });
  await app.register(healthRoutes, deps);
  await app.register(probeRoutes, deps);
  await app.register(metricsRoutes, deps);
  await app.register(docsRoutes);
  await app.register(consoleSessionRoutes, deps);
  await app.register(consoleFileRoutes, { files: consoleFiles });
  await app.ready();

  const tlsReload = tls && reloadTlsFiles(app.server as unknown as Server, deps.config, deps.logger);
  return {
    async listen({ host, port }) {
      return { url: await app.listen({ host, port }) };
    },
    async close(drainMs) {
      isDraining = true;
      tlsReload?.close();
      const closed = app.close();
      // A connection that was active at the start is closed when its response is complete.
      const idle = setInterval(() => app.server.closeIdleConnections(), DRAIN_POLL_MS);
      const deadline = setTimeout(() => {
        sockets.stop();
        for (const socket of app.websocketServer.clients) if (!sockets.has(socket)) socket.terminate();
        app.server.closeAllConnections();
      }, drainMs);
      await closed;
      clearInterval(idle);
      clearTimeout(deadline);
    },
    countConnections: () =>
      new Promise((resolve, reject) => {
        app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    openApi: () => app.swagger(),
  };
}
