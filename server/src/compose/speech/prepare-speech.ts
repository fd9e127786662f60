import type { Config } from '../../config/config.ts';
import { prepareSpeechProcess } from '../../inference/runtime/speech/speech-process.ts';

/** Starts the first speech process of this machine, before the modules of the server are loaded. */
export function prepareSpeech({ natsUrl }: Pick<Config, 'natsUrl'>): void {
  if (natsUrl === undefined) prepareSpeechProcess();
}
