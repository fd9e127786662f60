import { ApiError } from '../../errors.ts';
import type { ApiConfig } from '../dependencies.ts';
import { findWireModel } from '../wire/wire-models.ts';

/** What OpenAI's and Groq's clients call a model that speaks, and which of ours answers. */
const SPEECH_ALIASES: Readonly<Record<string, string>> = {
  'tts-1': 's2.1-pro',
  'tts-1-hd': 's2.1-pro',
  'gpt-4o-mini-tts': 's2.1-pro',
  'playai-tts': 's2.1-pro',
  kokoro: 's1',
};

/** The same for models that hear. */
const TRANSCRIPTION_ALIASES: Readonly<Record<string, 'transcribe-1' | 'transcribe-1-pro'>> = {
  'transcribe-1': 'transcribe-1',
  'transcribe-1-pro': 'transcribe-1-pro',
  'whisper-1': 'transcribe-1',
  'gpt-4o-transcribe': 'transcribe-1',
  'gpt-4o-mini-transcribe': 'transcribe-1',
  'whisper-large-v3': 'transcribe-1',
  'whisper-large-v3-turbo': 'transcribe-1',
  'distil-whisper-large-v3-en': 'transcribe-1',
};

/** The wire model a name means. Unlike on the native routes an unknown one is refused, as these clients expect. */
export function resolveSpeechModel(name: string, config: ApiConfig): string {
  const model = findWireModel(SPEECH_ALIASES[bare(name)] ?? name, config);
  if (model === undefined) throw unknownModel(name);
  return model;
}

export function isHearingModel(name: string): boolean {
  return Object.hasOwn(TRANSCRIPTION_ALIASES, bare(name));
}

export function resolveHearingModel(name: string): 'transcribe-1' | 'transcribe-1-pro' {
  const model = TRANSCRIPTION_ALIASES[bare(name)];
  if (model === undefined) throw unknownModel(name);
  return model;
}

/** The same for ElevenLabs' clients, whose own models are all answered by one of ours. */
export function resolveElevenLabsModel(name: string, config: ApiConfig): string {
  return resolveSpeechModel(name.startsWith('eleven_') ? 'tts-1' : name, config);
}

export function resolveScribeModel(name: string): 'transcribe-1' | 'transcribe-1-pro' {
  return resolveHearingModel(name.startsWith('scribe_') ? 'transcribe-1' : name);
}

/** All names these routes take. */
export function knownModels(wireModels: readonly string[]): readonly string[] {
  return [...wireModels, ...Object.keys(SPEECH_ALIASES), ...Object.keys(TRANSCRIPTION_ALIASES)];
}

function bare(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^fish-audio\//, '');
}

function unknownModel(name: string): ApiError {
  return new ApiError(
    'invalid_request',
    `There is no model ${JSON.stringify(name)}. \`GET /v1/models\` lists them.`,
  );
}
