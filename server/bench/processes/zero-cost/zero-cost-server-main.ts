import { fileURLToPath } from 'node:url';
import { createApp } from '../../../src/compose/app.ts';
import { DEFAULT_ENGINE, type SpeechBackend } from '../../../src/compose/speech/speech-backend.ts';
import { stopOnSignals } from '../../../src/compose/stop-signals.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { ASSETS_FOLDER } from '../../../src/config/package-info.ts';
import { SpeechPool } from '../../../src/inference/runtime/speech/speech-pool.ts';
import { createLogger } from '../../../src/logger.ts';
import { RECORDED_SPEECH_FOLDER } from './recorded-speech.ts';

/** Entry point of a server whose only speech worker has no engine: what remains is the cost of the HTTP process. */

const WORKER = fileURLToPath(new URL('./zero-cost-worker-main.js', import.meta.url));

const signals = stopOnSignals();
const { config } = loadConfig(process.env, []);
const logger = createLogger(config);
const pool = new SpeechPool({
  policy: { startTimeoutMs: 60_000, memoryMaxBytes: 2 ** 31 },
  waitForWorkerMs: 60_000,
  onEvent: (event, facts, level = 'info') => logger[level](facts, event),
  entry: WORKER,
});
const speechBackend: SpeechBackend = {
  workers: pool,
  get isReady() {
    return pool.isReady;
  },
  bestKokoro: () => DEFAULT_ENGINE,
  prepareEngine: async () => {},
  preload: () => {},
  status: () => pool.status(),
  models: () => [],
  async start(onProcesses) {
    onProcesses(1);
    const settings = {
      modelsRoot: process.env[RECORDED_SPEECH_FOLDER] ?? '',
      assetsRoot: ASSETS_FOLDER,
      threads: 1,
    };
    await pool.start({ count: 1, settings, warmEngines: [DEFAULT_ENGINE] });
  },
  close: () => pool.close(),
};
const app = await createApp(config, { logger, env: process.env, speechBackend });
await app.listen();
signals.onStop(() => app.close());
