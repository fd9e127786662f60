import { Mynah } from 'mynah';
import type { AudioFormat } from '../audio/formats.ts';
import type { ServerAddress } from './server-address.ts';

/** The parameters of `mynah say`. */
export interface SayRequest {
  readonly text: string;
  readonly voice: string | undefined;
  readonly model: string;
  readonly format: AudioFormat;
  readonly speed: number;
}

/** Audio, and the model that it is of; undefined when a server does not tell. */
export interface SaidSpeech {
  readonly audio: AsyncIterable<Uint8Array>;
  readonly model: string | undefined;
}

/** Speech synthesis by a server or by the engines of this installation. */
export interface SpeechSource {
  speak(request: SayRequest, signal: AbortSignal): Promise<SaidSpeech>;
  close(): Promise<void>;
}

/** Synthesis by a server. */
export function openServerSpeech(address: ServerAddress): SpeechSource {
  const client = new Mynah({ ...address });
  return {
    async speak({ text, voice, model, format, speed }, signal) {
      const audio = await client.textToSpeech.convert(
        { text, model, format, prosody: { speed }, ...(voice !== undefined && { reference_id: voice }) },
        { signal },
      );
      return { audio, model: audio.facts.model };
    },
    close: async () => {},
  };
}
