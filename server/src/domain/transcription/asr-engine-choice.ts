import type { TranscriptionModel } from './transcription-service.ts';

interface EngineRow {
  readonly engine: string;
  /** ISO 639-1; absent for an engine of all languages. */
  readonly languages?: readonly string[];
}

const ENGLISH: EngineRow = { engine: 'moonshine-base', languages: ['en'] };
const WORLD: EngineRow = { engine: 'whisper-small' };

/**
 * The engines of each wire model, in order of preference: the first that knows the language is taken.
 * docs/guides/transcription.md says what they were measured at.
 */
const ENGINES: Readonly<Record<TranscriptionModel, readonly EngineRow[]>> = {
  'transcribe-1': [ENGLISH, WORLD],
  'transcribe-1-pro': [WORLD],
};

/** The engines that a recording may need: what is known not to be needed is neither fetched nor loaded. */
export function enginesFor(model: TranscriptionModel, language: string | undefined): readonly string[] {
  const rows = ENGINES[model];
  if (language === undefined) return rows.map(({ engine }) => engine);
  const able = rows.filter(({ languages }) => languages === undefined || languages.includes(language));
  return able.slice(0, 1).map(({ engine }) => engine);
}
