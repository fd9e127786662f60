/** Engines that speak cloned voices. */
export const CLONING_ENGINES = ['kokoro-fast', 'vits'] as const;
export type CloningEngine = (typeof CLONING_ENGINES)[number];

const LANGUAGES: Readonly<Record<CloningEngine, readonly string[]>> = {
  'kokoro-fast': ['en', 'es', 'fr', 'hi', 'it', 'ja', 'pt', 'zh'],
  vits: ['en'],
};

/** Languages of the cloned voices of an engine, as ISO 639-1 codes. */
export function languagesOfClones(engine: string): readonly string[] {
  return isCloningEngine(engine) ? LANGUAGES[engine] : ['en'];
}

export function isCloningEngine(engine: string): engine is CloningEngine {
  return CLONING_ENGINES.some((candidate) => candidate === engine);
}
