import { parseArgs } from 'node:util';

/** What can be measured, in the order it is done. */
export const PARTS = [
  'first-audio',
  'cpu',
  'decoders',
  'streams',
  'parallel',
  'memory',
  'disconnect',
  'billing',
  'cloning',
  'reference',
  'hearing',
  'long-recording',
] as const;
export type PartName = (typeof PARTS)[number];

export interface BenchOptions {
  readonly parts: readonly PartName[];
  /** Fewer repetitions and shorter texts: says roughly where things stand in two minutes. */
  readonly isQuick: boolean;
  /** Where the JSON goes; undefined means the default place. */
  readonly jsonPath: string | undefined;
  /** A folder of recordings with `transcripts.tsv` for the part about hearing; our own voices unless given. */
  readonly recordings: string | undefined;
  /** A module that finds the words of a text, for word errors; a plain one of ours unless given. */
  readonly normalizer: string | undefined;
  /** How long the recording of the part about long ones is. */
  readonly minutes: number;
  readonly wantsHelp: boolean;
}

const MINUTES = 10;
const MINUTES_MAX = 180;

/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const HELP = `Usage: npm run bench -- [option…]

Starts the real server with a data folder of its own, measures it over real connections, and prints one table.
The exit status says whether it ran, not whether the targets were met.

  --quick        Fewer repetitions: rough numbers within two minutes.
  --only LIST    Only these parts, separated by commas: ${PARTS.slice(0, 4).join(', ')},
                 ${PARTS.slice(4).join(', ')}.
  --json FILE    Where the results go as JSON; .cache/bench/result.json unless given.
  --recordings FOLDER
                 For the parts about hearing: audio files, and transcripts.tsv with name, tab, text in each line. Our
                 own voices speak unless given.
  --normalizer FILE
                 A JavaScript module whose function words(text) gives the words that are compared, as a list.
  --minutes N    How long the recording of the part "long-recording" is; ${MINUTES} unless given.
  --help

The part "reference" installs the npm package kokoro-js into .cache/bench when it runs for the first time. The
settings of the server (MYNAH_WORKERS, MYNAH_THREADS, …) are taken from the environment as usual.
`;

/** Reads the command line. Throws a `UsageError` that says what is wrong with it. */
export function parseOptions(argv: readonly string[]): BenchOptions {
  const { quick, only, json, recordings, normalizer, minutes, help } = readFlags(argv);
  return {
    parts: only === undefined ? PARTS : parseParts(only),
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
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function parseParts(list: string): PartName[] {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) {
    throw new UsageError(`There is no part “${unknown}”. There are: ${PARTS.join(', ')}.`);
  }
  return PARTS.filter((part) => names.includes(part));
}

function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (Number.isInteger(minutes) && minutes >= 1 && minutes <= MINUTES_MAX) return minutes;
  throw new UsageError(`--minutes takes a whole number from 1 to ${MINUTES_MAX}, not “${text}”.`);
}
