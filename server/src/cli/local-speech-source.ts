import { resolveWireModel } from '../api/wire/wire-models.ts';
import { findInstalledVoices } from '../compose/installed-voices.ts';
import { openModelStore } from '../compose/model-store.ts';
import { LocalSpeech } from '../compose/speech/local-speech.ts';
import { DEFAULT_SPEECH_REQUEST, NO_ACCOUNT, SpeechRuntime } from '../compose/speech/speech-runtime.ts';
import type { Config, Environment } from '../config/config.ts';
import { createVoiceCatalogue, requireVoice } from '../domain/voices/catalogue/voice-catalogue.ts';
import { createLogger } from '../logger.ts';
import type { SpeechSource } from './speech-source.ts';

/** Synthesis by this process and its own worker process. */
export async function openLocalSpeech(config: Config, env: Environment): Promise<SpeechSource> {
  const logger = createLogger({ ...config, logLevel: 'silent' });
  const store = openModelStore(config, env);
  const voices = createVoiceCatalogue(await findInstalledVoices(config, { store, onProblem: () => {} }));
  const single = { ...config, workers: 1 };
  const backend = new LocalSpeech(single, { logger, store });
  const runtime = new SpeechRuntime(single, { logger, backend, voices });
  return {
    async speak({ voice: name, ...request }, signal) {
      await runtime.ready;
      const voice = name === undefined ? undefined : requireVoice(voices, name);
      const model = resolveWireModel(request.model, config);
      const speechRequest = { ...DEFAULT_SPEECH_REQUEST, accountId: NO_ACCOUNT, ...request, model, voice };
      return { audio: (await runtime.speech.speak(speechRequest, signal)).body, model };
    },
    close: () => runtime.close(),
  };
}
