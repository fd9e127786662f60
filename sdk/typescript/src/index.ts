export { Account } from './account.ts';
export {
  type AccountChange,
  Admin,
  type AdminAccount,
  type AdminKey,
  type CreatedKey,
  type CreditBooking,
  type KeyChange,
  type LedgerReport,
  type ManagedModel,
  type ModelJob,
  type NewKey,
  type ServerStatus,
} from './admin.ts';
export { play } from './audio/play.ts';
export { save } from './audio/save.ts';
export { SpeechAudio, type SpeechFacts } from './audio/speech-audio.ts';
export { Audiobooks } from './audiobooks.ts';
export { Mynah } from './client.ts';
export { Console, type ConsoleState, type Session } from './console.ts';
export {
  Dictionaries,
  type Dictionary,
  type DictionaryVersion,
  type PronunciationRule,
} from './dictionaries.ts';
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InsufficientCreditError,
  InvalidRequestError,
  LiveSessionError,
  MynahError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from './errors.ts';
export { FishAudioClient } from './fish-audio/index.ts';
export type { ClientOptions } from './net/transport.ts';
export { type LiveTranscriptionRequest, SpeechToText } from './speech-to-text.ts';
export { type TextStream, TextToSpeech } from './text-to-speech.ts';
export type * from './types/index.ts';
export { type VoicePage, Voices } from './voices.ts';
