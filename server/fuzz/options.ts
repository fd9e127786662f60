import { parseArgs } from 'node:util';

export const GROUPS = [
  'json',
  'msgpack',
  'multipart',
  'address',
  'text',
  'dictionary',
  'audio',
  'sockets',
  'schemathesis',
] as const;
export type GroupName = (typeof GROUPS)[number];

export interface FuzzOptions {
  readonly seed: number;
  /** Number of cases; the run also ends after `minutes`. */
  readonly requests: number;
  readonly minutes: number;
  readonly groups: readonly GroupName[];
  /** Number of cases in flight. */
  readonly concurrency: number;
  /** Findings that depend on the speed of the machine do not fail the run. */
  readonly isSlowMachine: boolean;
  /** Runs only the case with this number. */
  readonly onlyCase: number | undefined;
  readonly wantsHelp: boolean;
}

export const USAGE = `npm run fuzz -- [options]

  --requests N     number of cases (default 2000)
  --minutes N      end after this time (default 10)
  --seed S         seed of the generators (default: random; printed)
  --only A,B       groups: ${GROUPS.join(', ')}
  --concurrency N  cases in flight (default 4)
  --case N         repeat one case of a seed
  --slow-machine   hangs, slow health, growth of memory and restarts of workers are reported, but do not fail the run`;

/** Throws a `TypeError` with a sentence for the user. */
export function parseOptions(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: 'string', default: '2000' },
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string' },
      only: { type: 'string' },
      concurrency: { type: 'string', default: '4' },
      case: { type: 'string' },
      'slow-machine': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const groups = values.only?.split(',') ?? [...GROUPS];
  const unknown = groups.find((name) => !GROUPS.some((known) => known === name));
  if (unknown !== undefined)
    throw new TypeError(`There is no group "${unknown}". Groups: ${GROUPS.join(', ')}.`);
  return {
    seed: values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : positive('seed', values.seed),
    requests: positive('requests', values.requests),
    minutes: positive('minutes', values.minutes),
    groups: GROUPS.filter((name) => groups.includes(name)),
    concurrency: Math.max(1, positive('concurrency', values.concurrency)),
    onlyCase: values.case === undefined ? undefined : positive('case', values.case),
    isSlowMachine: values['slow-machine'],
    wantsHelp: values.help,
  };
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new TypeError(`--${name} must be a number of at least 0.`);
}
