import { loadConfig } from '../../../src/config/config.ts';
import { ASSETS_FOLDER } from '../../../src/config/package-info.ts';
import type { WorkerSettings } from '../../../src/inference/runtime/process/messages.ts';
import { SpeechHost } from '../../../src/inference/runtime/speech/speech-host.ts';
import { TranscriptionHost } from '../../../src/inference/runtime/transcription/transcription-host.ts';

/** The TTS engines of a worker, in this process, with the models that `npm test` downloads. */
export function openSpeechHost(): SpeechHost {
  return new SpeechHost(workerSettings());
}

/** The ASR engines of a worker, in this process. */
export function openTranscriptionHost(): TranscriptionHost {
  return new TranscriptionHost(workerSettings());
}

function workerSettings(): WorkerSettings {
  const { config } = loadConfig(process.env);
  return { modelsRoot: config.modelsFolder, assetsRoot: ASSETS_FOLDER, threads: 1 };
}
