import type { TtsEngine, TtsEngineContext } from '../../../domain/engines/tts-engine.ts';
import { modelPaths } from '../sherpa/model-paths.ts';
import { SherpaTts } from '../sherpa/sherpa-tts.ts';
import { ZeroShotTtsEngine } from '../sherpa/zero-shot-tts-engine.ts';
import { POCKET, POCKET_FILES } from './pocket-files.ts';
import { POCKET_MODEL } from './pocket-model.ts';

/** Loads Pocket TTS. Throws `engine_unavailable` when its runtime is not installed. */
export async function loadPocket(context: Pick<TtsEngineContext, 'file' | 'threads'>): Promise<TtsEngine> {
  const pocket = await modelPaths(context, POCKET, POCKET_FILES);
  return new ZeroShotTtsEngine(POCKET_MODEL, await SherpaTts.load({ pocket }, context.threads));
}
