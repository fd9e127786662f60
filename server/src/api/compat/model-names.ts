import { ApiError } from '../../errors.ts';
import type { ApiConfig } from '../dependencies.ts';
import { findWireModel } from '../wire/wire-models.ts';

/** TTS model names of OpenAI and Groq, mapped to wire models. */
const SPEECH_ALIASES: Readonly<Record<string, string>> = {
  'tts-1': 's2.1-pro',
  'tts-1-hd': 's2.1-pro',
  'gpt-4o-mini-tts': 's2.1-pro',
  'playai-tts': 's2.1-pro',
  kokoro: 's1',
};

/** Transcription model names of OpenAI and Groq, mapped to wire models. */
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

/** Names that OpenAI has given or may give to models; unknown ones map to the default model of the task of the route. */
const SPEECH_NAME = /^(tts-|gpt-)/;
const TRANSCRIPTION_NAME = /^(whisper-|gpt-)/;
/** Names of OpenAI that state the task. */
const TRANSCRIPTION_ONLY_NAME = /^(whisper-|gpt-.*(transcribe|whisper))/;

/** The wire model for a name. Unlike on the native routes, an unknown name is an error, as these clients expect. */
export function resolveOpenAiSpeechModel(name: string, config: ApiConfig): string {
  const bare = withoutVendor(name);
  const alias =
    ownValue(SPEECH_ALIASES, bare) ?? (SPEECH_NAME.test(bare) ? SPEECH_ALIASES['tts-1'] : undefined);
  const model = findWireModel(alias ?? name, config);
  if (model === undefined) throw createUnknownModelError(name);
  return model;
}

/** Whether a name states the task of transcription, for routes that have both tasks. */
export function isTranscriptionModel(name: string): boolean {
  const bare = withoutVendor(name);
  return Object.hasOwn(TRANSCRIPTION_ALIASES, bare) || TRANSCRIPTION_ONLY_NAME.test(bare);
}

export function resolveOpenAiTranscriptionModel(name: string): 'transcribe-1' | 'transcribe-1-pro' {
  const bare = withoutVendor(name);
  const model =
    ownValue(TRANSCRIPTION_ALIASES, bare) ?? (TRANSCRIPTION_NAME.test(bare) ? 'transcribe-1' : undefined);
  if (model === undefined) throw createUnknownModelError(name);
  return model;
}

/** The wire model for a name of ElevenLabs. All of its own models map to one wire model. */
export function resolveElevenLabsSpeechModel(name: string, config: ApiConfig): string {
  return resolveOpenAiSpeechModel(name.startsWith('eleven_') ? 'tts-1' : name, config);
}

export function resolveElevenLabsTranscriptionModel(name: string): 'transcribe-1' | 'transcribe-1-pro' {
  return resolveOpenAiTranscriptionModel(name.startsWith('scribe_') ? 'transcribe-1' : name);
}

/** All model names that the OpenAI routes accept. */
export function knownModels(wireModels: readonly string[]): readonly string[] {
  return [...wireModels, ...Object.keys(SPEECH_ALIASES), ...Object.keys(TRANSCRIPTION_ALIASES)];
}

/** The value of a name in a table. Every object inherits `constructor`, which a client may send. */
function ownValue<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function withoutVendor(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^fish-audio\//, '');
}

function createUnknownModelError(name: string): ApiError {
  return new ApiError(
    'invalid_request',
    `There is no model ${JSON.stringify(name)}. \`GET /v1/models\` lists the models.`,
  );
}
