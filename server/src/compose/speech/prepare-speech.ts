import type { Config } from '../../config/config.ts';
import { prepareSpeechProcess } from '../../inference/runtime/speech/speech-process.ts';
import { DEFAULT_ENGINE } from './speech-backend.ts';
import { speechWorkerSettings } from './speech-worker-settings.ts';

/**
 * Starts the first speech process of this machine before the modules of the server are loaded: on a second core it loads its
 * modules and its engine meanwhile.
 */
export function prepareSpeech(config: Config): void {
  if (config.natsUrl !== undefined) return;
  const { settings } = speechWorkerSettings(config);
  prepareSpeechProcess({ settings, engine: DEFAULT_ENGINE });
}
