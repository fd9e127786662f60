import { z } from 'zod';
import { LANGUAGE_MISMATCHES } from '../../domain/speech/language-mismatch.ts';
import type { Setting } from '../setting.ts';
import { integer, json, number } from '../setting-types.ts';

/** Defaults, limits and admission of speech requests. */
export const SPEECH_SETTINGS = {
  defaultVoice: {
    env: 'MYNAH_DEFAULT_VOICE',
    schema: z.string().min(1).default('af_heart'),
    description: 'Voice for requests without `reference_id`: a name or an id.',
  },
  languageMismatch: {
    env: 'MYNAH_LANGUAGE_MISMATCH',
    schema: z.enum(LANGUAGE_MISMATCHES).default('speak'),
    description:
      'A text in a language that the voice does not speak, without `language`: `speak` it with a voice of that language, or, if the request names a voice, with that voice and a warning header; or `refuse` it.',
  },
  loudnessLufs: {
    env: 'MYNAH_LOUDNESS_LUFS',
    schema: number(-70, -5).default(-16),
    description: 'Target loudness of `normalize_loudness`, in LUFS.',
  },
  textMaxChars: {
    env: 'MYNAH_TEXT_MAX_CHARS',
    schema: integer(1, 100_000_000).default(200_000),
    description: 'Maximum length of the text of a request, in characters. Above it: 413.',
  },
  cuesMax: {
    env: 'MYNAH_CUES_MAX',
    schema: integer(0, 1_000_000).default(2000),
    description: 'Maximum number of cues such as `(sad)` in the text of a request. Above it: 413.',
  },
  pieceSilenceMaxSeconds: {
    env: 'MYNAH_PIECE_SILENCE_MAX_SECONDS',
    schema: number(0, 3600).default(60),
    description:
      'Maximum silence that cues and SSML insert between two sentences or clauses, and in a section of an audiobook (1200 characters) or a caption of a dub, in seconds. Silence beyond it is left out.',
  },
  silenceMaxSeconds: {
    env: 'MYNAH_SILENCE_MAX_SECONDS',
    schema: number(0, 86_400).default(600),
    description:
      'Maximum silence that cues and SSML insert in a request or a live session, in seconds. Silence beyond it is left out.',
  },
  ssmlDepthMax: {
    env: 'MYNAH_SSML_DEPTH_MAX',
    schema: integer(1, 1000).default(32),
    description: 'Maximum nesting depth of SSML elements.',
  },
  ssmlBreakMaxSeconds: {
    env: 'MYNAH_SSML_BREAK_MAX_SECONDS',
    schema: number(0, 3600).default(10),
    description: 'Maximum duration of an SSML `break`, in seconds.',
  },
  startingMax: {
    env: 'MYNAH_STARTING_MAX',
    schema: integer(1, 10_000).default(16),
    description:
      'Maximum number of requests that are being processed and have not produced audio yet. One account gets at most half of them. Further requests are queued and admitted in turn by account, then by key.',
  },
  queueMax: {
    env: 'MYNAH_QUEUE_MAX',
    schema: integer(1, 100_000).default(256),
    description:
      'Maximum number of requests in the admission queue. When it is full, a request of the account with the most queued requests is refused with 429.',
  },
  queueSeconds: {
    env: 'MYNAH_QUEUE_SECONDS',
    schema: integer(0, 3600).default(30),
    description: 'Maximum time in seconds that a request waits in the admission queue. After it: 429.',
  },
  speechLoadMax: {
    env: 'MYNAH_SPEECH_LOAD_MAX',
    schema: number(0.1, 100).default(0.85),
    description:
      'Maximum utilisation of the speech workers by running streams, where 1 is all of their time. Further streams are queued, so that the admitted ones have no buffer underruns.',
  },
  slowReaderSeconds: {
    env: 'MYNAH_SLOW_READER_SECONDS',
    schema: integer(0, 86_400).default(120),
    description:
      'A client that reads speech at less than a quarter of real time is disconnected when the server has waited for it this long, in seconds. The account pays for the audio that was sent. 0: never.',
  },
  streamStallSeconds: {
    env: 'MYNAH_STREAM_STALL_SECONDS',
    schema: integer(1, 3600).default(60),
    description:
      'Timeout of a stalled client, in seconds. A client that reads nothing of a stream for this time is disconnected; one that sends nothing of a body receives 408 `body_timeout`.',
  },
  elevenLabsVoices: {
    env: 'MYNAH_ELEVENLABS_VOICES',
    schema: json(z.record(z.string().min(1).max(100), z.string().min(1).max(200))).default({}),
    description:
      'Voices for voice ids of ElevenLabs, as a JSON object of ids and names of voices. It takes precedence over the built-in table of its well-known voices.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
