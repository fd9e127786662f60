import { after } from 'node:test';
import type { SpeechHost } from '../../../src/inference/runtime/speech/speech-host.ts';
import { openSpeechHost } from './engine-context.ts';

/** The TTS engines of a worker for all tests of a file. Each is loaded once, and closed after the last test. */
export function useSpeechHost(): SpeechHost {
  const host = openSpeechHost();
  after(async () => {
    for (const name of host.loadedEngines()) await (await host.engine(name)).close();
  });
  return host;
}
