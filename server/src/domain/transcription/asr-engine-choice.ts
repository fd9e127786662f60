import type { TranscriptionModel } from './transcription-service.ts';

interface EngineRow {
  readonly engine: string;
  /** ISO 639-1; absent for a multilingual engine. */
  readonly languages?: readonly string[];
}

const ENGLISH: EngineRow = { engine: 'moonshine-base', languages: ['en'] };
const MULTILINGUAL: EngineRow = { engine: 'whisper-small' };

/**
 * The engines of each model of the API, in order of preference: the first that supports the language is used.
 * docs/design/transcription.md lists their measured accuracy.
 */
const ENGINES: Readonly<Record<TranscriptionModel, readonly EngineRow[]>> = {
  'transcribe-1': [ENGLISH, MULTILINGUAL],
  'transcribe-1-pro': [MULTILINGUAL],
};

/** The engines that translate to English. */
export function translationEngines(): readonly string[] {
  return [MULTILINGUAL.engine];
}

/** The engines that a recording may need. A known language selects one, so that no other is downloaded or loaded. */
export function enginesFor(model: TranscriptionModel, language: string | undefined): readonly string[] {
  const rows = ENGINES[model];
  if (language === undefined) return rows.map(({ engine }) => engine);
  const supporting = rows.filter(({ languages }) => languages === undefined || languages.includes(language));
  return supporting.slice(0, 1).map(({ engine }) => engine);
}
