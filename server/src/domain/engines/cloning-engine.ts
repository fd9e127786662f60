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

/** Whether a clone of this engine is a first estimate that needs a refinement. */
export function isRefinedAutomatically(engine: string): boolean {
  return engine === 'kokoro-fast';
}

/** Whether the refinement of a clone of this engine uses a transcript of its recording. */
export function isRefinedByTranscript(engine: string): boolean {
  return engine === 'kokoro-fast';
}

/** `automatic`: clones that are a first estimate are refined. `on_request`: only those of `train_mode: full`. */
export const VOICE_REFINEMENT_MODES = ['automatic', 'on_request'] as const;
export type VoiceRefinementMode = (typeof VOICE_REFINEMENT_MODES)[number];
