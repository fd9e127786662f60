import { Mynah } from 'mynah';
import type { AudioFormat } from '../audio/formats.ts';
import { findVoices } from '../compose/installed-voices.ts';
import { openModelStore } from '../compose/model-store.ts';
import { DEFAULT_SPEECH_REQUEST, SpeechRuntime } from '../compose/speech-runtime.ts';
import type { Config, Environment } from '../config/config.ts';
import { createVoiceCatalogue } from '../domain/voices/catalogue/voice-catalogue.ts';
import { createLogger } from '../logger.ts';
import type { ServerAddress } from './server-address.ts';

/** What a command wants to hear. */
export interface SpeechWish {
  readonly text: string;
  readonly voice: string | undefined;
  readonly model: string;
  readonly format: AudioFormat;
  readonly speed: number;
}

/** Something that speaks: a server, or engines of our own. */
export interface SpeechSource {
  speak(wish: SpeechWish, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

/** Speaks through a server. */
export function openServerSpeech(address: ServerAddress): SpeechSource {
  const client = new Mynah({ ...address });
  return {
    speak: ({ text, voice, model, format, speed }, signal) =>
      client.textToSpeech.convert(
        { text, model, format, prosody: { speed }, ...(voice !== undefined && { reference_id: voice }) },
        { signal },
      ),
    close: async () => {},
  };
}

/** Speaks in this process and a worker of its own, for as long as one command takes. */
export async function openOwnSpeech(config: Config, env: Environment): Promise<SpeechSource> {
  const logger = createLogger({ ...config, logLevel: 'silent' });
  const store = openModelStore(config, env);
  const voices = createVoiceCatalogue(await findVoices(config, { store, onProblem: () => {} }));
  const speaking = new SpeechRuntime({ ...config, workers: 1 }, { logger, store, voices });
  return {
    async speak(wish, signal) {
      await speaking.ready;
      return (await speaking.speech.speak({ ...DEFAULT_SPEECH_REQUEST, ...wish }, signal)).body;
    },
    close: () => speaking.close(),
  };
}
