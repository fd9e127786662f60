import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiMetrics } from '../../../src/api/dependencies.ts';
import type { HealthReport } from '../../../src/api/schemas/server/health.ts';
import type { ServerStatus } from '../../../src/api/schemas/server/server-status.ts';
import { createHttpServer } from '../../../src/api/server/server.ts';
import { type Accounts, openAccounts } from '../../../src/compose/accounts.ts';
import { ModelJobs } from '../../../src/compose/administration/model-jobs.ts';
import { openAudiobooks } from '../../../src/compose/audiobooks.ts';
import { followChanges } from '../../../src/compose/cluster/cluster.ts';
import { openUploads } from '../../../src/compose/files.ts';
import { openAacSpeech } from '../../../src/compose/speech/aac-speech.ts';
import { logAvailability, withStorage } from '../../../src/compose/storage-health.ts';
import {
  createVoiceResolver,
  openVoiceDesigner,
  openVoiceLibrary,
  openVoicePreviews,
  type VoicesDeps,
  withUseCounts,
} from '../../../src/compose/voices.ts';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import type { ApiKeys } from '../../../src/domain/accounts/keys/api-keys.ts';
import { ensureFirstKey } from '../../../src/domain/accounts/keys/first-key.ts';
import { Dictionaries } from '../../../src/domain/dictionaries/dictionaries.ts';
import { DictionaryResolver } from '../../../src/domain/dictionaries/dictionary-resolver.ts';
import type { SpeechService } from '../../../src/domain/speech/speech-service.ts';
import { openJobCharge } from '../../../src/domain/transcription/job-charge.ts';
import { TranscriptionJobs } from '../../../src/domain/transcription/transcription-jobs.ts';
import type { UploadStore } from '../../../src/domain/transcription/upload-store.ts';
import { listKokoroVoices } from '../../../src/domain/voices/catalogue/kokoro-voices.ts';
import { createVoiceCatalogue } from '../../../src/domain/voices/catalogue/voice-catalogue.ts';
import type { VoiceGenerator } from '../../../src/domain/voices/design/voice-designer.ts';
import type { ModelSource } from '../../../src/inference/models/sources/source.ts';
import { createModelStore } from '../../../src/inference/models/store/model-store.ts';
import { ServerFfmpegSlots } from '../../../src/inference/runtime/process/ffmpeg-slots.ts';
import { type Database, databaseOf, openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { SqlDictionaryStore } from '../../../src/infrastructure/sql/sql-dictionary-store.ts';
import { SqlJobStore } from '../../../src/infrastructure/sql/sql-job-store.ts';
import { createLogger } from '../../../src/logger.ts';
import { LocalClipReader } from '../voices/local-clip-reader.ts';
import { ScriptedTranscription } from '../workers/scripted-transcription.ts';
import { ToneSpeech } from '../workers/tone-speech.ts';
import { StoredFiles } from './stored-files.ts';

export const HEALTHY: HealthReport = {
  status: 'ok',
  live: true,
  ready: true,
  version: '0.0.0',
  database: 'ok',
  models: [{ id: 'tone', state: 'ready' }],
  workers: [{ id: 'tone-1', state: 'ready', restarts: 0 }],
};

const IDLE: ServerStatus = {
  load: { streams: 0, utilisation: 0, transcriptions: 0 },
  queues: { capacity: 0, first_audio: 0, admission: 0 },
  gateways: [],
  workers: [],
};

export interface TestServer {
  readonly url: string;
  readonly key: string;
  readonly dataFolder: string;
  /** The file of the SQLite database, or the address of the PostgreSQL database. */
  readonly databaseAddress: string;
  readonly storedFiles: StoredFiles;
  readonly speech: ToneSpeech;
  readonly transcription: ScriptedTranscription;
  readonly accounts: Accounts;
  readonly jobs: TranscriptionJobs;
  readonly keys: ApiKeys;
  /** Creates an account with this id, and a key of it. */
  readonly createKeyFor: (account: string) => Promise<string>;
  /** `fetch` with the API key and a path of the server. */
  readonly call: (path: string, init?: RequestInit) => Promise<Response>;
  /** `POST /v1/tts` with a JSON body and the API key. */
  readonly speak: (body: unknown, headers?: Record<string, string>) => Promise<Response>;
  readonly close: (drainSeconds?: number) => Promise<void>;
}

export interface TestServerOptions {
  readonly config?: Partial<Config>;
  /** Replaces methods of `ToneSpeech`. */
  readonly speech?: Partial<SpeechService>;
  readonly health?: () => HealthReport;
  readonly transcription?: ScriptedTranscription;
  /** Enables voice cloning. */
  readonly voices?: Pick<VoicesDeps, 'cloner' | 'reader' | 'transcriber' | 'onMaking'>;
  /** Enables voice design. */
  readonly maker?: VoiceGenerator;
  /** Where models are fetched from; the model folder is empty at the start. */
  readonly modelSources?: readonly ModelSource[];
  /** A folder with the files of a web console. */
  readonly consoleFolder?: string;
  /** Serves `/metrics` and counts requests. */
  readonly metrics?: ApiMetrics;
  /** Receives the log at level trace. */
  readonly log?: { write(line: string): void };
  /** The data folder of an earlier server. It is not removed. */
  readonly dataFolder?: string;
  /** Starts a cluster, as `MYNAH_TEST_CLUSTER=1` does for every test. */
  readonly isCluster?: boolean;
}

/**
 * Starts a server on a free port, with a database in a temporary folder and sine tones instead of speech. With
 * `MYNAH_TEST_GATEWAYS=2` it starts two servers on one PostgreSQL database, and connections alternate between them. With
 * `MYNAH_TEST_CLUSTER=1` these are gateways with a bucket, data folders of their own, and remote workers behind NATS.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const isCluster = options.isCluster ?? process.env.MYNAH_TEST_CLUSTER !== undefined;
  const count = Number(process.env.MYNAH_TEST_GATEWAYS ?? (isCluster ? 2 : 1));
  if (count === 1 || options.config?.databaseUrl !== undefined) return startOneServer(options);
  const { startTestCluster } = await import('../cluster/test-cluster.ts');
  return startTestCluster({ count, isCluster }, options, startOneServer);
}

async function startOneServer(
  options: TestServerOptions,
  speech: ToneSpeech = new ToneSpeech(),
): Promise<TestServer> {
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'mynah-http-')));
  const { config } = loadConfig({ PORT: '0', MYNAH_DATA: dataFolder, MYNAH_LOG_LEVEL: 'silent' });
  const speechService = withOverrides(speech, options.speech);
  const settings = { ...config, ...options.config };
  const db = await openDatabase(databaseOf(settings));
  const logger = options.log
    ? createLogger({ ...settings, logLevel: 'trace' }, options.log)
    : createLogger(settings);
  const voiceOwner = { deleteAccount: (accountId: string) => library.deleteAccount(accountId) };
  const bookOwner = { deleteAccount: (accountId: string) => audiobooks.deleteAccount(accountId) };
  const accounts = openAccounts(db, settings, logger, [voiceOwner, bookOwner]);
  await ensureFirstKey(accounts.keyStore, dataFolder);
  const key = (await readFile(join(dataFolder, 'first-key'), 'utf8')).trim();
  logAvailability(db.availability, logger);
  db.availability.onChange((problem) => {
    if (problem === undefined) void accounts.accounting.billing.sweep();
  });
  accounts.start();
  const uploads = await openUploads(settings);
  const transcription = options.transcription ?? new ScriptedTranscription();
  const jobs = createJobs(settings, { db, transcription, uploads, accounts });
  jobs.start();
  const library = openVoiceLibrary(db, settings, {
    logger,
    audit: accounts.audit,
    speech: speechService,
    reader: options.voices && new LocalClipReader(),
    ...options.voices,
  });
  await library.start();
  const voices = createVoiceCatalogue(listKokoroVoices());
  const dictionaries = new Dictionaries({ store: new SqlDictionaryStore(db), limits: settings });
  const voiceResolver = createVoiceResolver(settings, { voices, library });
  const pronunciations = new DictionaryResolver(dictionaries);
  const countedSpeech = withUseCounts(speechService, { voices, library });
  const ffmpegSlots = new ServerFfmpegSlots(settings.ffmpegMax);
  const audiobooks = openAudiobooks(settings, {
    db,
    logger,
    billing: accounts.accounting.billing,
    speech: countedSpeech,
    voices: voiceResolver,
    dictionaries: pronunciations,
    ffmpegSlots,
  });
  audiobooks.start();
  const changes = followChanges(db, settings, { ...accounts, library, audiobooks });
  const http = await createHttpServer({
    config: settings,
    logger,
    ...accounts,
    consoleFolder: options.consoleFolder ?? join(dataFolder, 'no-console'),
    dictionaries,
    pronunciations,
    voices,
    library,
    voiceResolver,
    previews: openVoicePreviews(settings, speechService),
    designer: await openVoiceDesigner(db, settings, { generator: options.maker, speech: speechService }),
    speech: openAacSpeech(settings, { speech: countedSpeech, ffmpegSlots }),
    audiobooks,
    transcription: { transcription, jobs, uploads },
    status: async () => IDLE,
    models: new ModelJobs(
      createModelStore({ root: join(dataFolder, 'models'), sources: options.modelSources ?? [] }),
    ),
    health: () => withStorage(options.health?.() ?? HEALTHY, { database: db.availability }),
    metrics: options.metrics,
  });
  const { url } = await http.listen(settings);
  const call = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });

  return {
    url,
    key,
    dataFolder,
    databaseAddress: databaseOf(settings),
    storedFiles: new StoredFiles(settings),
    speech,
    transcription,
    accounts,
    jobs,
    keys: accounts.keys,
    createKeyFor: async (accountId) => {
      await accounts.keyStore.ensureAccount({ id: accountId, name: accountId, createdAtMs: Date.now() });
      return (await accounts.keys.create({ accountId, name: accountId })).key;
    },
    call,
    speak: (body, headers = {}) =>
      call('/v1/tts', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async close(drainSeconds = 0) {
      await http.close(drainSeconds * 1000);
      await changes.close();
      await audiobooks.close();
      await library.close();
      await jobs.close();
      await uploads.close();
      await accounts.close();
      await db.destroy();
      if (options.dataFolder === undefined) await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

function createJobs(
  settings: Config,
  {
    db,
    transcription,
    uploads,
    accounts,
  }: {
    readonly db: Database;
    readonly transcription: ScriptedTranscription;
    readonly uploads: UploadStore;
    readonly accounts: Accounts;
  },
): TranscriptionJobs {
  return new TranscriptionJobs({
    store: new SqlJobStore(db),
    service: transcription,
    uploads,
    settings: {
      concurrency: 1,
      openMax: settings.asrJobsMax,
      openPerAccountMax: settings.asrJobsPerAccountMax,
      followersMax: settings.asrFollowersMax,
      retentionMs: settings.asrJobRetentionHours * 3.6e6,
      leaseMs: settings.asrJobLeaseSeconds * 1000,
    },
    openCharge: (job) => openJobCharge(accounts.accounting.billing, job),
    onEvent: () => {},
  });
}

/** `ToneSpeech` with some methods replaced. */
function withOverrides(tone: ToneSpeech, overrides: Partial<SpeechService> = {}): SpeechService {
  return {
    speak: (...given) => (overrides.speak ? overrides.speak(...given) : tone.speak(...given)),
    speakTimed: (...given) =>
      overrides.speakTimed ? overrides.speakTimed(...given) : tone.speakTimed(...given),
    speakLive: (...given) => (overrides.speakLive ? overrides.speakLive(...given) : tone.speakLive(...given)),
  };
}
