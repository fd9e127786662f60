import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HealthReport } from '../../src/api/schemas/health.ts';
import { createHttpServer } from '../../src/api/server/server.ts';
import { type Accounts, openAccounts } from '../../src/compose/accounts.ts';
import {
  createVoiceFinder,
  openVoiceDesigner,
  openVoiceLibrary,
  openVoicePreviews,
  type VoicesDeps,
  withUseCounts,
} from '../../src/compose/voices.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import type { Caller } from '../../src/domain/accounts/caller.ts';
import type { ApiKeys } from '../../src/domain/accounts/keys/api-keys.ts';
import { ensureFirstKey } from '../../src/domain/accounts/keys/first-key.ts';
import { chargeTranscription } from '../../src/domain/accounts/metering/charge-transcription.ts';
import { Dictionaries } from '../../src/domain/dictionaries/dictionaries.ts';
import { PronunciationFinder } from '../../src/domain/dictionaries/find-pronunciations.ts';
import type { SpeechService } from '../../src/domain/speech/speech-service.ts';
import { TranscriptionJobs } from '../../src/domain/transcription/transcription-jobs.ts';
import { kokoroVoices } from '../../src/domain/voices/catalogue/kokoro-voices.ts';
import { createVoiceCatalogue } from '../../src/domain/voices/catalogue/voice-catalogue.ts';
import type { VoiceMaker } from '../../src/domain/voices/design/voice-designer.ts';
import { UploadFolder } from '../../src/infrastructure/files/upload-folder.ts';
import { databaseOf, openDatabase } from '../../src/infrastructure/sql/database.ts';
import { SqlDictionaryStore } from '../../src/infrastructure/sql/sql-dictionary-store.ts';
import { SqlJobStore } from '../../src/infrastructure/sql/sql-job-store.ts';
import { createLogger } from '../../src/logger.ts';
import { ReadingTranscription } from './scripted-transcription.ts';
import { ToneSpeech } from './tone-speech.ts';

export const HEALTHY: HealthReport = {
  status: 'ok',
  live: true,
  ready: true,
  version: '0.0.0',
  models: [{ id: 'tone', state: 'ready' }],
  workers: [{ id: 'tone-1', state: 'ready', restarts: 0 }],
};

export interface TestServer {
  readonly url: string;
  readonly key: string;
  readonly dataFolder: string;
  readonly speech: ToneSpeech;
  readonly transcription: ReadingTranscription;
  readonly books: Accounts;
  readonly keys: ApiKeys;
  /** A key of an account of its own. */
  readonly keyOfAnother: (account: string) => Promise<string>;
  /** `fetch` with the key, relative to the server. */
  readonly call: (path: string, init?: RequestInit) => Promise<Response>;
  /** `POST /v1/tts` with a JSON body and the key. */
  readonly speak: (body: unknown, headers?: Record<string, string>) => Promise<Response>;
  readonly close: (drainSeconds?: number) => Promise<void>;
}

export interface TestServerOptions {
  readonly config?: Partial<Config>;
  /** Replaces what the tone does. */
  readonly speech?: Partial<SpeechService>;
  readonly health?: () => HealthReport;
  readonly transcription?: ReadingTranscription;
  /** What makes voices; a server without it makes none. */
  readonly voices?: Pick<VoicesDeps, 'cloner' | 'transcriber'>;
  /** What makes up voices; a server without it makes up none. */
  readonly maker?: VoiceMaker;
  /** A folder with the data of an earlier server; it is left in place. */
  readonly dataFolder?: string;
}

/** A real server on a free port, with a real database in a temporary folder and a tone for a voice. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'mynah-http-')));
  const { config } = loadConfig({ PORT: '0', MYNAH_DATA: dataFolder, MYNAH_LOG_LEVEL: 'silent' });
  const speech = new ToneSpeech();
  const spoken = withSpeech(speech, options.speech);
  const settings = { ...config, ...options.config };
  const db = await openDatabase(databaseOf(settings));
  const logger = createLogger(settings);
  const voiceOwner = { deleteAccount: (accountId: string) => library.deleteAccount(accountId) };
  const books = openAccounts(db, settings, logger, [voiceOwner]);
  await ensureFirstKey(books.keyStore, dataFolder);
  const key = (await readFile(join(dataFolder, 'first-key'), 'utf8')).trim();
  books.start();
  const uploads = await UploadFolder.open(join(dataFolder, 'uploads'));
  const transcription = options.transcription ?? new ReadingTranscription();
  const jobs = new TranscriptionJobs({
    store: new SqlJobStore(db),
    service: transcription,
    uploads,
    settings: { atOnce: 1, openMax: settings.asrJobsMax, retentionMs: settings.asrJobRetentionHours * 3.6e6 },
    onResult: async ({ id, options: { model }, view }, { durationSeconds: seconds }) => {
      await chargeTranscription(books.accounting.till, view.caller as Caller, { id, model, seconds });
    },
    onEvent: () => {},
  });
  jobs.start();
  const library = openVoiceLibrary(db, settings, {
    logger,
    audit: books.audit,
    speech: spoken,
    ...options.voices,
  });
  await library.start();
  const voices = createVoiceCatalogue(kokoroVoices());
  const dictionaries = new Dictionaries({ store: new SqlDictionaryStore(db), limits: settings });
  const http = await createHttpServer({
    config: settings,
    logger,
    ...books,
    dictionaries,
    pronunciations: new PronunciationFinder(dictionaries),
    voices,
    library,
    voiceFinder: createVoiceFinder(settings, { voices, library }),
    previews: openVoicePreviews(settings, spoken),
    designer: await openVoiceDesigner(db, settings, { maker: options.maker, speech: spoken }),
    speech: withUseCounts(spoken, { voices, library }),
    transcription: { transcription, jobs, uploads },
    health: options.health ?? (() => HEALTHY),
  });
  const { url } = await http.listen(settings);
  const call = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });

  return {
    url,
    key,
    dataFolder,
    speech,
    transcription,
    books,
    keys: books.keys,
    keyOfAnother: async (accountId) => {
      await books.keyStore.ensureAccount({ id: accountId, name: accountId, createdAtMs: Date.now() });
      return (await books.keys.create({ accountId, name: accountId })).key;
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
      await library.close();
      await jobs.close();
      await uploads.close();
      await books.close();
      await db.destroy();
      if (options.dataFolder === undefined) await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** The tone, with some of what it does done by others. */
function withSpeech(tone: ToneSpeech, others: Partial<SpeechService> = {}): SpeechService {
  return {
    speak: (...given) => (others.speak ? others.speak(...given) : tone.speak(...given)),
    speakTimed: (...given) => (others.speakTimed ? others.speakTimed(...given) : tone.speakTimed(...given)),
    speakLive: (...given) => (others.speakLive ? others.speakLive(...given) : tone.speakLive(...given)),
  };
}
