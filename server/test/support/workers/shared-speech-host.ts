import { after } from 'node:test';
import type { SpeechHost } from '../../../src/inference/runtime/speech/speech-host.ts';
import { openSpeechHost } from './engine-context.ts';

let shared: SpeechHost | undefined;
let users = 0;

/**
 * The TTS engines of a worker for all files of a process that call this. Each calls it once, outside of any test. An
 * engine is loaded once, and closed after the last test of the last file.
 */
export function useSpeechHost(): SpeechHost {
  shared ??= openSpeechHost();
  const host = shared;
  users++;
  after(async () => {
    if (--users > 0) return;
    shared = undefined;
    for (const name of host.loadedEngines()) await (await host.engine(name)).close();
  });
  return host;
}
