import { CONSOLE_FOLDER, hasConsole } from '../api/routes/console-files.ts';
import type { HealthReport } from '../api/schemas/server/health.ts';
import { createHttpServer, type HttpServer } from '../api/server/server.ts';
import type { Config, Environment } from '../config/config.ts';
import { ensureFirstKey, FIRST_ACCOUNT_ID } from '../domain/accounts/keys/first-key.ts';
import { Dictionaries } from '../domain/dictionaries/dictionaries.ts';
import { DictionaryResolver } from '../domain/dictionaries/dictionary-resolver.ts';
import { createVoiceCatalogue } from '../domain/voices/catalogue/voice-catalogue.ts';
import { ServerFfmpegSlots } from '../inference/runtime/process/ffmpeg-slots.ts';
import { SqlDictionaryStore } from '../infrastructure/sql/sql-dictionary-store.ts';
import type { Logger } from '../logger.ts';
import { type Accounts, openAccounts } from './accounts.ts';
import { ModelJobs } from './administration/model-jobs.ts';
import { readStatus } from './administration/server-status.ts';
import { openAudiobooks } from './audiobooks.ts';
import { CloningRuntime } from './cloning-runtime.ts';
import { followChanges, joinCluster } from './cluster/cluster.ts';
import { requireCompleteCluster } from './cluster/cluster-settings.ts';
import { openRemoteWorkers } from './cluster/remote-workers.ts';
import { checkBucket } from './files.ts';
import { findInstalledVoices } from './installed-voices.ts';
import { Metrics, observeParts } from './metrics.ts';
import { openModelStore } from './model-store.ts';
import { openAacSpeech } from './speech/aac-speech.ts';
import { LocalSpeech } from './speech/local-speech.ts';
import type { SpeechBackend } from './speech/speech-backend.ts';
import { SpeechRuntime } from './speech/speech-runtime.ts';
import { findZeroShotEngines } from './speech/zero-shot-engines.ts';
import { StartupError } from './startup-error.ts';
import { openStorage } from './storage.ts';
import { logAvailability, watchFolders, withStorage } from './storage-health.ts';
import { startTracing } from './tracing.ts';
import { openTranscription } from './transcription.ts';
import { TranscriptionRuntime } from './transcription-runtime.ts';
import {
  clipTranscriber,
  createVoiceResolver,
  openVoiceDesigner,
  openVoiceLibrary,
  openVoicePreviews,
  withUseCounts,
} from './voices.ts';
import { openWatermarks } from './watermarks.ts';

/** The assembled server. */
export interface App {
  listen(): Promise<{ readonly url: string }>;
  /** Resolves when the server can synthesize speech; rejects when its models cannot be loaded. It listens before that. */
  readonly ready: Promise<void>;
  /** Waits for running requests for at most `drainSeconds` (default: the setting), then stops. */
  close(drainSeconds?: number): Promise<void>;
  /** The key that was created on the first start. */
  readonly firstKey: string | undefined;
  /** Path of a link that logs in to the web console once; undefined without console, or without a key for it. */
  readonly loginPath: string | undefined;
}

export interface AppOptions {
  readonly logger: Logger;
  /** Environment of child processes. */
  readonly env: Environment;
  /** Where speech is synthesized. Default: as configured. */
  readonly speechBackend?: SpeechBackend | undefined;
}

/** Assembles the server. */
export async function createApp(config: Config, options: AppOptions): Promise<App> {
  requireCompleteCluster(config);
  const services = await openServices(config, options);
  const http = await openHttp(config, options.logger, services);
  const { accounts, metrics, speech } = services;
  observeServices(services, http);
  const hasPages = hasConsole({ config, consoleFolder: CONSOLE_FOLDER });
  return {
    firstKey: services.firstKey,
    loginPath: hasPages ? await createLoginPath(accounts) : undefined,
    ready: speech.ready,
    async listen() {
      await metrics.listen(config);
      const address = await http.listen(config);
      void speech.warmUp();
      return address;
    },
    async close(drainSeconds = config.drainSeconds) {
      await http.close(drainSeconds * 1000);
      await closeServices(services);
    },
  };
}

type Services = Awaited<ReturnType<typeof openServices>>;

/** Opens everything behind the API, and starts its background tasks. */
async function openServices(config: Config, { logger, env, speechBackend }: AppOptions) {
  const stopTracing = await startTracing(config, { env, logger });
  const { db, folderLock } = await openStorage(config);
  const metrics = await Metrics.create();
  db.statements.onStatement = (seconds) => metrics.statementFinished(seconds);
  logAvailability(db.availability, logger);
  await checkBucket(config, logger);
  const membership = await joinCluster(db, config, logger);
  const folders = watchFolders(config, logger);
  const voiceOwner = { deleteAccount: (accountId: string) => library.deleteAccount(accountId) };
  const bookOwner = { deleteAccount: (accountId: string) => audiobooks.deleteAccount(accountId) };
  const accounts = openAccounts(db, config, logger, [voiceOwner, bookOwner], metrics);
  const firstKey = await ensureFirstKey(accounts.keyStore, config.dataFolder);
  // Charges that the outage has deferred.
  db.availability.onChange((problem) => {
    if (problem === undefined) void accounts.accounting.billing.sweep();
  });
  accounts.start();
  const dictionaries = new Dictionaries({ store: new SqlDictionaryStore(db), limits: config });
  const store = openModelStore(config, env);
  const onProblem = (problem: string) => logger.warn({ problem }, 'a Piper voice cannot be loaded');
  const voices = createVoiceCatalogue(await findInstalledVoices(config, { store, onProblem }));
  if (voices.resolve(config.defaultVoice) === undefined) {
    throw new StartupError(`MYNAH_DEFAULT_VOICE: there is no voice “${config.defaultVoice}”.`);
  }
  const zeroShotEngines = await findZeroShotEngines(store, config.zeroShotEngines);
  const watermarks = await openWatermarks(db, accounts.keyStore);
  accounts.administration.onAccountChange((id) => watermarks.forget(id));
  const ffmpegSlots = new ServerFfmpegSlots(config.ffmpegMax);
  const remote = await openRemoteWorkers(config, logger);
  const speech = new SpeechRuntime(config, {
    logger,
    backend: speechBackend ?? remote?.speech ?? new LocalSpeech(config, { logger, store, metrics }),
    voices,
    zeroShotEngines,
    watermarks,
    metrics,
    // Speech of other machines takes no core of live transcription.
    isCoreNeeded: () => remote === undefined && asrWorkers.isLive,
  });
  const asrWorkers = new TranscriptionRuntime(config, { logger, store, ffmpegSlots, metrics });
  const transcription = await openTranscription(config, {
    db,
    logger,
    workers: remote?.transcription(asrWorkers.workers) ?? asrWorkers.workers,
    billing: accounts.accounting.billing,
    metrics,
  });
  const cloning = new CloningRuntime(config, { logger, store, ffmpegSlots, metrics });
  const cloner = remote?.cloning(cloning.cloner) ?? cloning.cloner;
  const library = openVoiceLibrary(db, config, {
    logger,
    audit: accounts.audit,
    cloner,
    reader: cloning.cloner,
    transcriber: clipTranscriber(transcription.transcription),
    onMaking: (signal) => {
      if (remote?.offers('cloning') !== true) cloning.prepare(signal);
      speech.prepare(cloner.engine, signal);
    },
    speech: speech.speech,
    hasZeroShotEngine: zeroShotEngines.length > 0,
  });
  await library.start();
  const voiceResolver = createVoiceResolver(config, { voices, library });
  const pronunciations = new DictionaryResolver(dictionaries);
  const countedSpeech = withUseCounts(speech.speech, { voices, library });
  const audiobooks = openAudiobooks(config, {
    db,
    logger,
    billing: accounts.accounting.billing,
    speech: countedSpeech,
    voices: voiceResolver,
    dictionaries: pronunciations,
    ffmpegSlots,
  });
  audiobooks.start();
  const changes = followChanges(db, config, { ...accounts, library, audiobooks });
  const health = () =>
    withStorage(joinHealth(speech.health(), asrWorkers.health(), cloning.health()), {
      database: db.availability,
      folders,
    });
  await speech.launch();
  return {
    accounts,
    asrWorkers,
    audiobooks,
    changes,
    cloning,
    countedSpeech,
    db,
    designer: await openVoiceDesigner(db, config, { generator: cloner, speech: speech.speech }),
    dictionaries,
    ffmpegSlots,
    firstKey,
    folderLock,
    folders,
    health,
    library,
    membership,
    metrics,
    modelJobs: new ModelJobs(store),
    pronunciations,
    remote,
    speech,
    stopTracing,
    transcription,
    voiceResolver,
    voices,
  };
}

function openHttp(config: Config, logger: Logger, services: Services): Promise<HttpServer> {
  const { accounts, countedSpeech, ffmpegSlots, membership, remote, speech, transcription } = services;
  return createHttpServer({
    config,
    logger,
    ...accounts,
    consoleFolder: CONSOLE_FOLDER,
    voices: services.voices,
    library: services.library,
    voiceResolver: services.voiceResolver,
    previews: openVoicePreviews(config, speech.speech),
    designer: services.designer,
    dictionaries: services.dictionaries,
    pronunciations: services.pronunciations,
    speech: openAacSpeech(config, { speech: countedSpeech, ffmpegSlots }),
    audiobooks: services.audiobooks,
    transcription,
    health: services.health,
    status: () =>
      readStatus({
        speech,
        accounts,
        transcriptions: () => transcription.activeCount(),
        membership,
        workers: () => remote?.nodes() ?? [],
      }),
    models: services.modelJobs,
    metrics: services.metrics,
  });
}

function observeServices(services: Services, http: HttpServer): void {
  const { db, accounts, speech, transcription, asrWorkers, cloning, health } = services;
  observeParts(services.metrics, {
    db,
    accounts,
    speech,
    transcription: {
      activeCount: () => transcription.activeCount(),
      workers: () => asrWorkers.workerStatus(),
    },
    cloning: { workers: () => cloning.workerStatus() },
    http,
    health,
  });
}

/** Closes the services; each one after those that use it. */
async function closeServices(services: Services): Promise<void> {
  await services.modelJobs.close();
  await services.changes.close();
  await services.audiobooks.close();
  await services.library.close();
  await services.speech.close();
  await services.transcription.close();
  await services.remote?.close();
  await services.asrWorkers.close();
  await services.cloning.close();
  await services.accounts.close();
  services.folders.close();
  await services.membership.close();
  await services.metrics.close();
  await services.db.destroy();
  services.folderLock?.release();
  await services.stopTracing();
}

/** A login link for the first account, with its oldest valid key that may administer the server. */
async function createLoginPath({ keys, sessions }: Accounts): Promise<string | undefined> {
  for (const { id, scopes } of await keys.list(FIRST_ACCOUNT_ID)) {
    if (!scopes.includes('admin') || (await keys.callerOf(id)) === undefined) continue;
    // Browsers do not send the fragment, so it reaches no log.
    return `/login#link=${sessions.links.create(id)}`;
  }
  return undefined;
}

function joinHealth(
  health: HealthReport,
  ...more: readonly Pick<HealthReport, 'models' | 'workers'>[]
): HealthReport {
  return {
    ...health,
    models: [health, ...more].flatMap(({ models }) => models),
    workers: [health, ...more].flatMap(({ workers }) => workers),
  };
}
