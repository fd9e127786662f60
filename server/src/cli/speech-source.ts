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

/** Speech synthesis by a server or by the engines of this installation. */
export interface SpeechSource {
  speak(request: SayRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

/** Synthesis by a server. */
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
