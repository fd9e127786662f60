import { parseArgs } from 'node:util';

/** Parts of the benchmark in order of execution. */
export const PARTS = [
  'first-audio',
  'cpu',
  'decoders',
  'streams',
  'parallel',
  'memory',
  'disconnect',
  'slow-readers',
  'billing',
  'cloning',
  'reference',
  'transcription',
  'live-transcription',
  'long-recording',
  'cluster',
  'console',
  'http',
  'peers',
] as const;
export type PartName = (typeof PARTS)[number];

/** Parts that run only when they are named: they install Python packages. */
const OPTIONAL_PARTS: readonly PartName[] = ['peers'];

/** Former names of parts, still accepted by `--only`. Deprecated. */
const FORMER_NAMES: Readonly<Record<string, PartName>> = { hearing: 'transcription' };

export interface BenchOptions {
  readonly parts: readonly PartName[];
  /** Fewer repetitions and shorter texts: approximate results within two minutes. */
  readonly isQuick: boolean;
  /** Path of the JSON output; undefined is the default. */
  readonly jsonPath: string | undefined;
  /** Folder of recordings with `transcripts.tsv` for the transcription parts; default synthesized speech. */
  readonly recordings: string | undefined;
  /** Module that splits a text into words for the word error rate; default a simple splitter. */
  readonly normalizer: string | undefined;
  /** Duration of the recording of the part long-recording. */
  readonly minutes: number;
  readonly wantsHelp: boolean;
}

const DEFAULT_PARTS = PARTS.filter((part) => !OPTIONAL_PARTS.includes(part));
const MINUTES = 10;
const MINUTES_MAX = 180;

/** An invalid command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const HELP = `Usage: npm run bench -- [option…]

Starts the server with a temporary data folder, measures it over network connections and prints one table. The exit
status reports failures of the benchmark, not missed targets.

  --quick        Fewer repetitions: approximate results within two minutes.
  --only LIST    Only these parts, separated by commas: ${PARTS.slice(0, 4).join(', ')},
                 ${PARTS.slice(4).join(', ')}.
  --json FILE    Path of the JSON results; default .cache/bench/result.json.
  --recordings FOLDER
                 For the transcription parts: a folder of audio files and transcripts.tsv with name, tab and text per
                 line; default synthesized speech.
  --normalizer FILE
                 A JavaScript module with a function words(text) that returns the words to compare.
  --peers        Only the part "peers": CPU time, first audio and word errors beside hibari-tts, Piper and kokoro-js on the
                 same texts. Needs python3; packages are installed into .cache/bench.
  --minutes N    Duration of the recording of the part "long-recording"; default ${MINUTES}.
  --help

The part "console" needs Chromium. The part "reference" installs the npm package kokoro-js into .cache/bench on its first run. Server settings
(MYNAH_WORKERS, MYNAH_THREADS, …) are read from the environment.
`;

/** Parses the command line. Throws a `UsageError` with an explanation. */
export function parseOptions(argv: readonly string[]): BenchOptions {
  const { quick, only, json, recordings, normalizer, minutes, peers, help } = readFlags(argv);
  return {
    parts: peers ? ['peers'] : only === undefined ? DEFAULT_PARTS : parseParts(only),
    isQuick: quick ?? false,
    jsonPath: json,
    recordings,
    normalizer,
    minutes: minutes === undefined ? MINUTES : parseMinutes(minutes),
    wantsHelp: help ?? false,
  };
}

function readFlags(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        quick: { type: 'boolean' },
        only: { type: 'string' },
        json: { type: 'string' },
        recordings: { type: 'string' },
        normalizer: { type: 'string' },
        minutes: { type: 'string' },
        peers: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function parseParts(list: string): PartName[] {
  const names = list.split(',').map((entry) => FORMER_NAMES[entry.trim()] ?? entry.trim());
  const unknown = names.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) {
    throw new UsageError(`Unknown part “${unknown}”. Known parts: ${PARTS.join(', ')}.`);
  }
  return PARTS.filter((part) => names.includes(part));
}

function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (Number.isInteger(minutes) && minutes >= 1 && minutes <= MINUTES_MAX) return minutes;
  throw new UsageError(`--minutes must be an integer from 1 to ${MINUTES_MAX}, not “${text}”.`);
}
