import type {
  AsrEngineContext,
  AsrEngineDefinition,
  SpeakerEmbedder,
  VoiceActivity,
} from '../../domain/engines/asr-engine.ts';
import { WHISPER_LANGUAGES } from './whisper/languages.ts';

/**
 * All engines that hear. To add one, write its folder and add its line here. Engines are imported only when
 * they are loaded, which happens in hearing workers only.
 */
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

/** The definition of an engine that hears; throws for an unknown name. */
export function findAsrEngine(name: string): AsrEngineDefinition {
  const engine = ASR_ENGINES.find((candidate) => candidate.name === name);
  if (engine === undefined) {
    const names = ASR_ENGINES.map((candidate) => candidate.name).join(', ');
    throw new Error(`There is no engine named "${name}" that hears. There are: ${names}.`);
  }
  return engine;
}

/** The model of voice activity, which every job needs. */
export const VOICE_ACTIVITY = {
  models: ['silero-vad'],
  load: async (context: AsrEngineContext): Promise<VoiceActivity> =>
    (await import('./silero/silero-voice-activity.ts')).loadSilero(context),
} as const;

/** The model that knows voices by their sound, for jobs that tell speakers apart. */
export const SPEAKER_EMBEDDING = {
  models: ['voice-print'],
  load: async (context: AsrEngineContext): Promise<SpeakerEmbedder> =>
    (await import('./speaker-embedding/voice-print-engine.ts')).loadVoicePrinter(context),
} as const;
