import type {
  ContextConfigDefault,
  FastifyRequest,
  FastifySchema,
  FastifyTypeProvider,
  FastifyTypeProviderDefault,
  RawRequestDefaultExpression,
  RawServerBase,
  RawServerDefault,
  RouteGenericInterface,
} from 'fastify';
import type { Config } from '../config/config.ts';
import type { Administration } from '../domain/accounts/administration/administration.ts';
import type { AuditLog } from '../domain/accounts/audit/audit-log.ts';
import type { Caller, Scope } from '../domain/accounts/caller.ts';
import type { ApiKeys } from '../domain/accounts/keys/api-keys.ts';
import type { LiveConnections } from '../domain/accounts/keys/live-connections.ts';
import type { Wallet } from '../domain/accounts/ledger/ledger.ts';
import type { Service } from '../domain/accounts/ledger/usage.ts';
import type { AccountSlots } from '../domain/accounts/limits/account-slots.ts';
import type { Accounting } from '../domain/accounts/metering/accounting.ts';
import type { Sessions } from '../domain/accounts/sessions/sessions.ts';
import type { AudiobookJobs } from '../domain/audiobooks/audiobook-jobs.ts';
import type { Dictionaries } from '../domain/dictionaries/dictionaries.ts';
import type { DictionaryResolver } from '../domain/dictionaries/dictionary-resolver.ts';
import type { SpeechService } from '../domain/speech/speech-service.ts';
import type { TranscriptionJobs } from '../domain/transcription/transcription-jobs.ts';
import type { TranscriptionService } from '../domain/transcription/transcription-service.ts';
import type { UploadStore } from '../domain/transcription/upload-store.ts';
import type { VoiceCatalogue } from '../domain/voices/catalogue/voice-catalogue.ts';
import type { VoiceDesigner } from '../domain/voices/design/voice-designer.ts';
import type { VoiceLibrary } from '../domain/voices/library/voice-library.ts';
import type { VoicePreviews } from '../domain/voices/library/voice-previews.ts';
import type { VoiceResolver } from '../domain/voices/library/voice-resolver.ts';
import type { Logger } from '../logger.ts';
import type { RequestObserver } from './plugins/telemetry.ts';
import type { HealthReport } from './schemas/server/health.ts';
import type { ManagedModel, ModelJob } from './schemas/server/managed-model.ts';
import type { ServerStatus } from './schemas/server/server-status.ts';

/** The dependencies of the API layer. */
export interface ApiDeps {
  readonly config: ApiConfig;
  readonly logger: Logger;
  readonly keys: ApiKeys;
  /** Sessions of the web console. */
  readonly sessions: Sessions;
  /** Folder of the built web console; it may be missing. */
  readonly consoleFolder: string;
  readonly accounting: Accounting;
  readonly administration: Administration;
  readonly audit: AuditLog;
  /** Open sockets, which are closed when their key is revoked. */
  readonly connections: LiveConnections;
  /** Slots of accounts on all servers together. Absent: this server is alone. */
  readonly slots?: AccountSlots | undefined;
  readonly speech: SpeechService;
  /** Books that are spoken in the background. */
  readonly audiobooks: Pick<
    AudiobookJobs,
    'submit' | 'find' | 'list' | 'pause' | 'resume' | 'remove' | 'audioPath' | 'captionsPath'
  >;
  /** The built-in voices. */
  readonly voices: VoiceCatalogue;
  /** The voices made by users. */
  readonly library: VoiceLibrary;
  readonly voiceResolver: Pick<VoiceResolver, 'resolve'>;
  readonly previews: VoicePreviews;
  /** Designs voices from descriptions. */
  readonly designer: Pick<VoiceDesigner, 'design' | 'restore'>;
  readonly transcription: TranscriptionDeps;
  readonly dictionaries: Dictionaries;
  readonly pronunciations: Pick<DictionaryResolver, 'resolve'>;
  readonly health: () => HealthReport;
  readonly status: () => Promise<ServerStatus>;
  readonly models: ModelAdministration;
  /** Absent: the server has no metrics. */
  readonly metrics?: ApiMetrics | undefined;
}

/** The models on disk, as administrators manage them. */
export interface ModelAdministration {
  list(): Promise<readonly ManagedModel[]>;
  /** Starts a job and returns at once; a job of the model that is already open goes on. Throws `model_not_found`. */
  start(id: string, kind: ModelJob['kind']): Promise<ManagedModel>;
}

/** The metrics of the server, as the API layer uses them. */
export interface ApiMetrics extends RequestObserver {
  /** Renders all metrics in the format that the `Accept` header prefers. */
  render(accept: string | undefined): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** The dependencies of the transcription routes. */
export interface TranscriptionDeps {
  readonly transcription: TranscriptionService;
  readonly jobs: Pick<TranscriptionJobs, 'submit' | 'find' | 'follow' | 'cancel'>;
  readonly uploads: UploadStore;
}

export type ApiConfig = Pick<
  Config,
  | 'host'
  | 'bodyMaxBytes'
  | 'bodiesMaxBytes'
  | 'bodyTimeoutSeconds'
  | 'bodyMinBytesPerSecond'
  | 'textMaxChars'
  | 'pieceSilenceMaxSeconds'
  | 'silenceMaxSeconds'
  | 'dubSecondsPerByte'
  | 'streamStallSeconds'
  | 'liveBufferMaxChars'
  | 'liveSocketMaxBytes'
  | 'liveAccountMaxBytes'
  | 'liveFramesPerSecond'
  | 'liveIdleSeconds'
  | 'liveSilenceSeconds'
  | 'liveSocketsMax'
  | 'requestTimeoutSeconds'
  | 'asrUploadMaxBytes'
  | 'bookUploadMaxBytes'
  | 'voiceUploadMaxBytes'
  | 'accountUploadsMax'
  | 'accountUploadsMaxBytes'
  | 'asrMaxSeconds'
  | 'asrLiveIdleSeconds'
  | 'console'
  | 'corsOrigins'
  | 'trustProxy'
  | 'tlsCert'
  | 'tlsKey'
  | 'openMode'
  | 'publicVoices'
  | 'elevenLabsVoices'
  | 'defaultModel'
  | 'defaultVoice'
  | 'wireModels'
  | 'keyRequestsPerMinute'
  | 'billing'
  | 'prices'
>;

/**
 * The type of `request.caller` on a route, from the `config` of the route: every route needs a key unless its
 * `config` has `isOpen`. Code that serves several routes, such as a hook, sees `Caller | undefined`.
 */
export type CallerOn<RouteConfig> = unknown extends RouteConfig
  ? Caller | undefined
  : RouteConfig extends { readonly isOpen: boolean }
    ? Caller | undefined
    : Caller;

/** A request to a route that needs a key. */
export type AuthenticatedRequest = FastifyRequest & { readonly caller: Caller };

declare module 'fastify' {
  // The first six type parameters must repeat those of Fastify's own declaration.
  interface FastifyRequest<
    RouteGeneric extends RouteGenericInterface = RouteGenericInterface,
    RawServer extends RawServerBase = RawServerDefault,
    RawRequest extends RawRequestDefaultExpression<RawServer> = RawRequestDefaultExpression<RawServer>,
    SchemaCompiler extends FastifySchema = FastifySchema,
    TypeProvider extends FastifyTypeProvider = FastifyTypeProviderDefault,
    ContextConfig = ContextConfigDefault,
  > {
    /** Set by the auth plugin. Undefined only on open routes that are called without a key. */
    caller: CallerOn<ContextConfig>;
    /** The caller's wallet. Set on metered routes of servers with prepaid billing. */
    wallet: Wallet | undefined;
  }
  interface FastifyContextConfig {
    /** The route needs no API key. Default: it needs one. */
    isOpen?: boolean;
    /** A probe or a scrape: logged at level debug, not traced. */
    isProbe?: boolean;
    /** The scope that the key must have. Default: none. */
    scope?: Scope;
    /** A header that may carry the key in place of `Authorization`, in lower case. */
    keyHeader?: string;
    /** A query parameter that may carry the key. WebSockets only: their URLs are neither logged nor shared. */
    keyQuery?: string;
    /** The route is a WebSocket. */
    isWebSocket?: boolean;
    /** The service that the route is charged as, and how its `model` header is resolved. */
    metering?: { readonly service: Service; readonly modelOf: (header: string | undefined) => string };
  }
}
