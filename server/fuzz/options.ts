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

/** Phases of Schemathesis. */
const PHASES = ['examples', 'coverage', 'fuzzing', 'stateful'] as const;

export interface FuzzOptions {
  readonly seed: number;
  /** Number of cases; the run also ends after `minutes`. */
  readonly requests: number;
  readonly minutes: number;
  readonly groups: readonly GroupName[];
  /** Phases of Schemathesis that run. */
  readonly phases: readonly string[];
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
  --phases A,B     phases of Schemathesis: ${PHASES.join(', ')} (default: all)
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
      phases: { type: 'string' },
      concurrency: { type: 'string', default: '4' },
      case: { type: 'string' },
      'slow-machine': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const groups = namesOf(values.only, 'group', GROUPS);
  return {
    seed: values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : positive('seed', values.seed),
    requests: positive('requests', values.requests),
    minutes: positive('minutes', values.minutes),
    groups,
    phases: namesOf(values.phases, 'phase', PHASES),
    concurrency: Math.max(1, positive('concurrency', values.concurrency)),
    onlyCase: values.case === undefined ? undefined : positive('case', values.case),
    isSlowMachine: values['slow-machine'],
    wantsHelp: values.help,
  };
}

/** The names in a list, in the order of all names. Default: all. */
function namesOf<Name extends string>(
  list: string | undefined,
  kind: string,
  all: readonly Name[],
): readonly Name[] {
  const names = list?.split(',') ?? all;
  const unknown = names.find((name) => !all.some((known) => known === name));
  if (unknown !== undefined)
    throw new TypeError(`There is no ${kind} "${unknown}". Possible: ${all.join(', ')}.`);
  return all.filter((name) => names.includes(name));
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new TypeError(`--${name} must be a number of at least 0.`);
}
