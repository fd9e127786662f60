import type { HealthReport } from '../api/schemas/health.ts';
import { createHttpServer } from '../api/server/server.ts';
import type { Config, Environment } from '../config/config.ts';
import { ensureFirstKey } from '../domain/accounts/keys/first-key.ts';
import { Dictionaries } from '../domain/dictionaries/dictionaries.ts';
import { DictionaryResolver } from '../domain/dictionaries/dictionary-resolver.ts';
import { createVoiceCatalogue } from '../domain/voices/catalogue/voice-catalogue.ts';
import { databaseOf, openDatabase } from '../infrastructure/sql/database.ts';
import { DatabaseOpenError } from '../infrastructure/sql/database-faults.ts';
import { SqlDictionaryStore } from '../infrastructure/sql/sql-dictionary-store.ts';
import type { Logger } from '../logger.ts';
import { openAccounts } from './accounts.ts';
import { CloningRuntime } from './cloning-runtime.ts';
import { logAvailability, withDatabase } from './database-health.ts';
import { findInstalledVoices } from './installed-voices.ts';
import { openModelStore } from './model-store.ts';
import { SpeechRuntime } from './speech-runtime.ts';
import { StartupError } from './startup-error.ts';
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
import { findZeroShotEngines } from './zero-shot-engines.ts';

/** The assembled server. */
export interface App {
  listen(): Promise<{ readonly url: string }>;
  /** Resolves when the server can synthesize speech; rejects when its models cannot be loaded. It listens before that. */
  readonly ready: Promise<void>;
  /** Waits for running requests for at most `drainSeconds` (default: the setting), then stops. */
  close(drainSeconds?: number): Promise<void>;
  /** The key that was created on the first start. */
  readonly firstKey: string | undefined;
}

export interface AppOptions {
  readonly logger: Logger;
  /** Environment of child processes. */
  readonly env: Environment;
}

/** Assembles the server. */
export async function createApp(config: Config, { logger, env }: AppOptions): Promise<App> {
  const db = await openDatabase(databaseOf(config)).catch((error: unknown) => {
    throw error instanceof DatabaseOpenError ? new StartupError(error.message, { cause: error }) : error;
  });
  logAvailability(db.availability, logger);
  const voiceOwner = { deleteAccount: (accountId: string) => library.deleteAccount(accountId) };
  const accounts = openAccounts(db, config, logger, [voiceOwner]);
  const firstKey = await ensureFirstKey(accounts.keyStore, config.dataFolder);
  accounts.start();
  const dictionaries = new Dictionaries({ store: new SqlDictionaryStore(db), limits: config });
  const store = openModelStore(config, env);
  const onProblem = (problem: string) => logger.warn({ problem }, 'a Piper voice cannot be loaded');
  const voices = createVoiceCatalogue(await findInstalledVoices(config, { store, onProblem }));
  const zeroShotEngines = await findZeroShotEngines(store, config.zeroShotEngines);
  const watermarks = await openWatermarks(db, accounts.keyStore);
  const speech = new SpeechRuntime(config, { logger, store, voices, zeroShotEngines, watermarks });
  const asrWorkers = new TranscriptionRuntime(config, { logger, store });
  const transcription = await openTranscription(config, {
    db,
    logger,
    workers: asrWorkers.workers,
    billing: accounts.accounting.billing,
  });
  const cloning = new CloningRuntime(config, { logger, store });
  const library = openVoiceLibrary(db, config, {
    logger,
    audit: accounts.audit,
    cloner: cloning.cloner,
    transcriber: clipTranscriber(transcription.transcription),
    onMaking: (signal) => {
      cloning.prepare(signal);
      speech.prepare(cloning.cloner.engine, signal);
    },
    speech: speech.speech,
    hasZeroShotEngine: zeroShotEngines.length > 0,
  });
  await library.start();
  const health = () =>
    withDatabase(joinHealth(speech.health(), asrWorkers.health(), cloning.health()), db.availability);
  const http = await createHttpServer({
    config,
    logger,
    ...accounts,
    voices,
    library,
    voiceResolver: createVoiceResolver(config, { voices, library }),
    previews: openVoicePreviews(config, speech.speech),
    designer: await openVoiceDesigner(db, config, { generator: cloning.cloner, speech: speech.speech }),
    dictionaries,
    pronunciations: new DictionaryResolver(dictionaries),
    speech: withUseCounts(speech.speech, { voices, library }),
    transcription,
    health,
  });

  return {
    firstKey,
    ready: speech.ready,
    listen: () => http.listen(config),
    async close(drainSeconds = config.drainSeconds) {
      await http.close(drainSeconds * 1000);
      await library.close();
      await speech.close();
      await transcription.close();
      await asrWorkers.close();
      await cloning.close();
      await accounts.close();
      await db.destroy();
    },
  };
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
