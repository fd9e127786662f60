import { join } from 'node:path';
import type { EngineContext, TtsEngine } from '../../../domain/engines/tts-engine.ts';
import { modelPaths } from '../sherpa/model-paths.ts';
import { RecordingEngine } from '../sherpa/recording-engine.ts';
import { SherpaSpeech } from '../sherpa/sherpa-speech.ts';
import { writeEspeakData } from './espeak-data.ts';
import { ZIPVOICE_ENGINE } from './zipvoice-engine.ts';
import { ZIPVOICE, ZIPVOICE_FILES } from './zipvoice-files.ts';

/** Loads ZipVoice. Throws `engine_unavailable` where its runtime is not installed. */
export async function loadZipVoice(
  context: Pick<EngineContext, 'file' | 'folder' | 'threads'>,
): Promise<TtsEngine> {
  const files = await modelPaths(context, ZIPVOICE, ZIPVOICE_FILES);
  const dataDir = join(await context.folder(ZIPVOICE), 'derived', 'espeak-ng-data');
  await writeEspeakData(dataDir);
  return new RecordingEngine(
    ZIPVOICE_ENGINE,
    await SherpaSpeech.load({ zipvoice: { ...files, dataDir } }, context.threads),
  );
}
