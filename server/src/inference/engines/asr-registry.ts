import type {
  AsrEngineContext,
  AsrEngineDefinition,
  SpeakerEmbedder,
  VadModel,
} from '../../domain/engines/asr-engine.ts';
import { WHISPER_LANGUAGES } from './whisper/languages.ts';

/** All ASR engines. Engine modules are imported when an engine is loaded, which happens only in worker processes. */
export const ASR_ENGINES: readonly AsrEngineDefinition[] = [
  {
    name: 'moonshine-base',
    languages: ['en'],
    models: ['moonshine-base'],
    load: async (context) => (await import('./moonshine/moonshine-engine.ts')).loadMoonshine(context, 'base'),
  },
  {
    name: 'moonshine-tiny',
    languages: ['en'],
    models: ['moonshine-tiny'],
    load: async (context) => (await import('./moonshine/moonshine-engine.ts')).loadMoonshine(context, 'tiny'),
  },
  {
    name: 'whisper-base',
    languages: WHISPER_LANGUAGES,
    models: ['whisper-base'],
    load: async (context) => (await import('./whisper/whisper-engine.ts')).loadWhisper(context, 'base'),
  },
  {
    name: 'whisper-small',
    languages: WHISPER_LANGUAGES,
    models: ['whisper-small'],
    load: async (context) => (await import('./whisper/whisper-engine.ts')).loadWhisper(context, 'small'),
  },
];

/** The definition of an ASR engine; throws for an unknown name. */
export function findAsrEngine(name: string): AsrEngineDefinition {
  const engine = ASR_ENGINES.find((candidate) => candidate.name === name);
  if (engine === undefined) {
    const names = ASR_ENGINES.map((candidate) => candidate.name).join(', ');
    throw new Error(`Unknown ASR engine "${name}". Known engines: ${names}.`);
  }
  return engine;
}

/** The voice activity detector, which every transcription needs. */
export const VOICE_ACTIVITY = {
  models: ['silero-vad'],
  load: async (context: AsrEngineContext): Promise<VadModel> =>
    (await import('./silero/silero-voice-activity.ts')).loadSilero(context),
} as const;

/** The speaker embedding model, for diarization. */
export const SPEAKER_EMBEDDING = {
  // The id of an installed model is a public name, so it keeps the former term.
  models: ['voice-print'],
  load: async (context: AsrEngineContext): Promise<SpeakerEmbedder> =>
    (await import('./speaker-embedding/load-speaker-embedder.ts')).loadSpeakerEmbedder(context),
} as const;
