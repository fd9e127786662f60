import { join } from 'node:path';
import type { TtsEngine, TtsEngineContext } from '../../../domain/engines/tts-engine.ts';
import { modelPaths } from '../sherpa/model-paths.ts';
import { SherpaTts } from '../sherpa/sherpa-tts.ts';
import { ZeroShotTtsEngine } from '../sherpa/zero-shot-tts-engine.ts';
import { writeEspeakData } from './espeak-data.ts';
import { ZIPVOICE, ZIPVOICE_FILES } from './zipvoice-files.ts';
import { ZIPVOICE_MODEL } from './zipvoice-model.ts';

/** Loads ZipVoice. Throws `engine_unavailable` when its runtime is not installed. */
export async function loadZipVoice(
  context: Pick<TtsEngineContext, 'file' | 'folder' | 'threads'>,
): Promise<TtsEngine> {
  const files = await modelPaths(context, ZIPVOICE, ZIPVOICE_FILES);
  const dataDir = join(await context.folder(ZIPVOICE), 'derived', 'espeak-ng-data');
  await writeEspeakData(dataDir);
  return new ZeroShotTtsEngine(
    ZIPVOICE_MODEL,
    await SherpaTts.load({ zipvoice: { ...files, dataDir } }, context.threads),
  );
}
