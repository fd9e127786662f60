// The layers of the server and the imports between them. This table is the single source: dependency-cruiser
// checks it (.dependency-cruiser.mjs), and `npm run docs` writes it into ARCHITECTURE.md.

const ERRORS = 'errors.ts';
const FOLDERS = 'create-folder.ts';
const LOGGER = 'logger.ts';
const TRACING = 'tracing';

/**
 * One row per layer, from the top to the bottom. A layer is a folder of `server/src`, or one file of its root.
 * `mayImport` lists layers further down; a layer may always import itself.
 */
export const LAYERS = [
  {
    name: 'cli',
    holds: 'the `mynah` command',
    mayImport: [
      'main.ts',
      'wyoming',
      'mcp',
      'compose',
      'config',
      'api',
      'domain/speech',
      'domain/transcription',
      'domain/voices',
      'domain/accounts',
      'domain/dictionaries',
      'domain/audiobooks',
      'inference/models',
      'infrastructure/sql',
      'audio',
      ERRORS,
      LOGGER,
      'infrastructure/metrics',
      FOLDERS,
    ],
  },
  {
    name: 'wyoming',
    holds: 'the Wyoming protocol of Home Assistant, in front of a server',
    mayImport: ['config', ERRORS, LOGGER],
    packages: ['multicast-dns'],
  },
  {
    name: 'mcp',
    holds: 'tools over the Model Context Protocol, in front of a server',
    mayImport: ['config', ERRORS, LOGGER],
    packages: ['@modelcontextprotocol/*'],
  },
  {
    name: 'main.ts',
    holds: 'arguments and environment in, a listening server out',
    mayImport: ['compose', 'config', 'inference/models', ERRORS, LOGGER],
  },
  {
    name: 'compose',
    holds: 'the only place where parts are joined',
    mayImport: [
      'api',
      'config',
      'infrastructure/backup',
      'infrastructure/sql',
      'infrastructure/files',
      'infrastructure/messaging',
      'inference/runtime',
      'inference/engines',
      'inference/models',
      'domain/speech',
      'domain/transcription',
      'domain/voices',
      'domain/accounts',
      'domain/dictionaries',
      'domain/audiobooks',
      'domain/engines',
      'audio',
      ERRORS,
      LOGGER,
      'infrastructure/metrics',
      'infrastructure/tracing',
      TRACING,
    ],
  },
  {
    name: 'api',
    holds: 'HTTP and WebSocket: routes, schemas, uploads, compatibility with other APIs',
    mayImport: [
      'config',
      'domain/speech',
      'domain/transcription',
      'domain/voices',
      'domain/accounts',
      'domain/dictionaries',
      'domain/audiobooks',
      'domain/dubbing',
      'domain/speech-to-speech',
      'domain/captions',
      'books',
      'concurrency',
      'audio',
      'text',
      ERRORS,
      LOGGER,
      TRACING,
    ],
    packages: ['fastify', '@fastify/*', 'fastify-type-provider-zod', 'light-my-request', 'ws'],
  },
  {
    name: 'config',
    holds: 'settings table, configuration file, package facts',
    mayImport: ['domain/speech', 'domain/accounts', 'domain/engines'],
  },
  {
    name: 'infrastructure/backup',
    holds: 'backup and restoration of database and files',
    mayImport: ['infrastructure/sql', FOLDERS],
    packages: ['libsql', 'pg', 'tar-stream'],
  },
  {
    name: 'infrastructure/sql',
    holds: 'the stores of the domain over SQLite and PostgreSQL; migrations',
    mayImport: [
      'domain/transcription',
      'domain/voices',
      'domain/accounts',
      'domain/dictionaries',
      'domain/audiobooks',
      'domain/jobs',
      'text',
      ERRORS,
      TRACING,
      FOLDERS,
    ],
    packages: ['kysely', 'libsql', 'pg'],
  },
  {
    name: 'infrastructure/metrics',
    holds: 'declarations of the Prometheus metrics, and their values',
    mayImport: [],
    packages: ['prom-client'],
  },
  {
    name: 'infrastructure/tracing',
    holds: 'spans to an OpenTelemetry collector',
    mayImport: [TRACING],
    packages: ['@opentelemetry/*'],
  },
  {
    name: 'infrastructure/messaging',
    holds: 'remote workers over NATS: dispatch protocol, transport, pools',
    mayImport: [
      'domain/speech',
      'domain/transcription',
      'domain/voices',
      'domain/engines',
      'concurrency',
      'audio',
      ERRORS,
      TRACING,
    ],
    packages: ['@nats-io/*'],
  },
  {
    name: 'infrastructure/files',
    holds: 'files in folders and in S3 buckets',
    mayImport: ['domain/transcription', 'domain/voices', 'concurrency', ERRORS, FOLDERS],
    packages: ['@bradenmacdonald/s3-lite-client'],
  },
  {
    name: 'inference/runtime',
    holds: 'worker processes: supervision, pools, scheduling, what runs inside them',
    mayImport: [
      'inference/engines',
      'inference/phonemizer',
      'inference/models',
      'domain/speech',
      'domain/transcription',
      'domain/voices',
      'domain/engines',
      'concurrency',
      'audio',
      'text',
      ERRORS,
      TRACING,
      FOLDERS,
    ],
  },
  {
    name: 'inference/engines',
    holds: 'one folder per engine, and the ONNX tools they share',
    mayImport: ['inference/phonemizer', 'domain/engines', 'audio', 'text', ERRORS, TRACING],
    packages: ['onnxruntime-node', 'sherpa-onnx-node', '@echogarden/espeak-ng-emscripten'],
  },
  {
    name: 'inference/phonemizer',
    holds: 'text to phonemes, by language',
    mayImport: ['domain/engines', 'text', ERRORS],
    packages: ['@echogarden/espeak-ng-emscripten', 'pinyin-pro'],
  },
  {
    name: 'inference/models',
    holds: 'the model store: catalogue, sources, verification',
    mayImport: ['concurrency', FOLDERS],
    packages: ['tar-stream'],
  },
  {
    name: 'domain/audiobooks',
    holds: 'a book to an audio file with chapters, in the background',
    mayImport: [
      'domain/speech',
      'domain/voices',
      'domain/accounts',
      'domain/jobs',
      'domain/dictionaries',
      'domain/captions',
      'audio',
      'books',
      ERRORS,
    ],
  },
  {
    name: 'domain/speech-to-speech',
    holds: 'a recording in another voice',
    mayImport: [
      'domain/speech',
      'domain/transcription',
      'domain/dubbing',
      'domain/captions',
      'domain/engines',
      'audio',
      ERRORS,
    ],
  },
  {
    name: 'domain/speech',
    holds: 'text to a stream of audio',
    mayImport: [
      'domain/voices',
      'domain/captions',
      'domain/engines',
      'concurrency',
      'audio',
      'text',
      ERRORS,
      TRACING,
    ],
  },
  {
    name: 'domain/transcription',
    holds: 'a recording to text',
    mayImport: ['domain/accounts', 'domain/jobs', 'domain/engines', 'audio', 'text', ERRORS],
  },
  {
    name: 'domain/voices',
    holds: 'catalogue, library, cloning, design, intake of recordings',
    mayImport: ['domain/engines', 'audio', 'text', ERRORS],
  },
  {
    name: 'domain/accounts',
    holds: 'accounts, keys, ledger, prices, limits, audit',
    mayImport: [ERRORS, TRACING, FOLDERS],
  },
  { name: 'domain/jobs', holds: 'the queue of background jobs', mayImport: [ERRORS] },
  { name: 'domain/dictionaries', holds: 'pronunciation dictionaries', mayImport: ['text', ERRORS] },
  {
    name: 'domain/dubbing',
    holds: 'speech that follows the times of captions',
    mayImport: ['domain/captions', 'audio', ERRORS],
  },
  { name: 'domain/captions', holds: 'timed words to captions, and back', mayImport: [] },
  { name: 'domain/engines', holds: 'the interfaces that inference implements', mayImport: ['audio', 'text'] },
  { name: 'concurrency', holds: 'queues and process identity', mayImport: [] },
  {
    name: 'audio',
    holds: 'PCM, codecs, signal processing, watermark; no state',
    mayImport: [ERRORS],
    packages: ['libflacjs', 'libopus-wasm', 'mpg123-decoder', '@wasm-audio-decoders/*'],
  },
  {
    name: 'books',
    holds: 'text, Markdown and EPUB to chapters; no state',
    mayImport: [ERRORS],
    packages: ['yauzl', 'htmlparser2'],
  },
  { name: 'text', holds: 'reading text aloud: markup, normalisation, pieces; no state', mayImport: [ERRORS] },
  { name: LOGGER, holds: 'the logger', mayImport: [TRACING], packages: ['pino'] },
  { name: TRACING, holds: 'spans, as every layer records them', mayImport: [] },
  { name: FOLDERS, holds: 'creation of folders', mayImport: [] },
  { name: ERRORS, holds: 'every error a client can see', mayImport: [] },
];

/** Packages that several layers use. Every other package belongs to the layers whose row names it. */
export const COMMON_PACKAGES = ['zod', 'msgpackr', 'mynah'];

/** The table as Markdown, for ARCHITECTURE.md. */
export function layersTable() {
  const rows = LAYERS.map(({ name, holds, mayImport, packages }) => {
    const targets = mayImport.map((target) => `\`${target}\``).join(', ') || 'nothing';
    const owned =
      packages === undefined ? '' : `; packages ${packages.map((entry) => `\`${entry}\``).join(', ')}`;
    return `| \`${name}\` | ${holds} | ${targets}${owned} |`;
  });
  return ['| layer | holds | may import |', '| --- | --- | --- |', ...rows].join('\n');
}
