import { z } from 'zod';
import { VOICE_REFINEMENT_MODES } from '../../domain/engines/cloning-engine.ts';
import type { Setting } from '../setting.ts';
import { boolean, integer, number } from '../setting-types.ts';

/** Limits of cloned and designed voices, reference recordings and pronunciation dictionaries. */
export const VOICES_SETTINGS = {
  voicesMax: {
    env: 'MYNAH_VOICES_MAX',
    schema: integer(0, 1_000_000).default(1000),
    description: 'Maximum number of voices per account. Above it: 409 `voice_limit`.',
  },
  voiceUploadMaxBytes: {
    env: 'MYNAH_VOICE_UPLOAD_MAX_BYTES',
    schema: integer(1024, 1_073_741_824).default(64 * 1024 * 1024),
    description:
      'Maximum total size of the recordings and images of a voice form, in bytes, in every encoding of the form. Above it: 413 `request_too_large`.',
  },
  voiceClipMaxSeconds: {
    env: 'MYNAH_VOICE_CLIP_MAX_SECONDS',
    schema: integer(10, 7200).default(900),
    description:
      'Maximum duration of a recording for a voice, in seconds. Of a long recording, the minute with the most speech is used.',
  },
  voiceSpeechMinSeconds: {
    env: 'MYNAH_VOICE_SPEECH_MIN_SECONDS',
    schema: number(0.5, 60).default(0.5),
    description:
      'Minimum duration of speech in a recording for a voice, in seconds. Below 2.5 s a recording has the verdict `too_short`.',
  },
  voiceCreationMaxSeconds: {
    env: 'MYNAH_VOICE_CREATION_MAX_SECONDS',
    deprecatedNames: ['MYNAH_VOICE_MAKING_MAX_SECONDS'],
    schema: integer(1, 3600).default(120),
    description:
      'Maximum time in seconds to clone or design a voice after its recordings have arrived. After it: 503, and nothing is stored.',
  },
  voiceTrainingMaxSeconds: {
    env: 'MYNAH_VOICE_TRAINING_MAX_SECONDS',
    schema: integer(1, 604_800).default(3600),
    description:
      'Maximum time in seconds for each background step of a new voice: transcribing its recordings, refining it, speaking a sample. A step that takes longer is skipped.',
  },
  voiceRefinement: {
    env: 'MYNAH_VOICE_REFINEMENT',
    schema: z.enum(VOICE_REFINEMENT_MODES).default('automatic'),
    description:
      '`automatic`: new clones of the cloning engine `kokoro-fast` are refined in the background, one at a time, for 50 to 80 CPU seconds each; their speech changes once. `on_request`: only voices with `train_mode: full` are refined.',
  },
  publicVoices: {
    env: 'MYNAH_PUBLIC_VOICES',
    schema: boolean().default(false),
    description: 'Whether `GET /model` and `GET /model/{id}` are allowed without an API key.',
  },
  referenceCacheMax: {
    env: 'MYNAH_REFERENCE_CACHE_MAX',
    schema: integer(0, 100_000).default(256),
    description:
      'Number of voices from `references` in requests that are cached, so that a repeated reference is not cloned again.',
  },
  referencesMaxSeconds: {
    env: 'MYNAH_REFERENCES_MAX_SECONDS',
    schema: integer(1, 7200).default(300),
    description:
      'Maximum duration of all recordings in the `references` of a request together, in seconds. Above it: 400 `audio_too_long`.',
  },
  dictionariesMax: {
    env: 'MYNAH_DICTIONARIES_MAX',
    schema: integer(0, 1_000_000).default(100),
    description: 'Maximum number of pronunciation dictionaries per account. Above it: 409.',
  },
  dictionaryVersionsMax: {
    env: 'MYNAH_DICTIONARY_VERSIONS_MAX',
    schema: integer(1, 1_000_000).default(100),
    description: 'Maximum number of versions of a pronunciation dictionary, without archived ones.',
  },
  dictionaryStoredMax: {
    env: 'MYNAH_DICTIONARY_STORED_MAX',
    schema: integer(1, 10_000_000).default(10_000),
    description:
      'Maximum number of pronunciation dictionaries and versions per account in total, archived ones included. Above it: 409.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
