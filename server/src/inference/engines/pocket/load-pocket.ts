import type { EngineContext, TtsEngine } from '../../../domain/engines/tts-engine.ts';
import { modelPaths } from '../sherpa/model-paths.ts';
import { RecordingEngine } from '../sherpa/recording-engine.ts';
import { SherpaSpeech } from '../sherpa/sherpa-speech.ts';
import { POCKET_ENGINE } from './pocket-engine.ts';
import { POCKET, POCKET_FILES } from './pocket-files.ts';

/** Loads Pocket TTS. Throws `engine_unavailable` where its runtime is not installed. */
export async function loadPocket(context: Pick<EngineContext, 'file' | 'threads'>): Promise<TtsEngine> {
  const pocket = await modelPaths(context, POCKET, POCKET_FILES);
  return new RecordingEngine(POCKET_ENGINE, await SherpaSpeech.load({ pocket }, context.threads));
}
