import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Flags of the server process: those of V8, and the size of V8's thread pool, an option of Node. `scripts/relaunch.mjs`
 * applies them: the semi-space sizes are read when the process starts. Reasons and measurements: docs/design/memory.md.
 */
export const SERVER_V8_FLAGS = [
  '--single-threaded-gc',
  '--min-semi-space-size=1',
  '--max-semi-space-size=1',
  '--no-memory-reducer',
  '--heap-growing-percent=35',
  '--initial-heap-size=64',
  '--interrupt-budget=300000',
  '--v8-pool-size=1',
] as const;

/** Flags of the worker processes. Reasons and measurements: docs/design/memory.md. */
export const WORKER_V8_FLAGS = [
  '--single-threaded-gc',
  '--min-semi-space-size=1',
  '--max-semi-space-size=1',
  '--no-memory-reducer',
  '--harmony-rab-gsab-transfer',
  '--interrupt-budget=300000',
  '--v8-pool-size=1',
] as const;

const OWN_FLAGS: readonly string[] = [...SERVER_V8_FLAGS, ...WORKER_V8_FLAGS];
/** Flags of this file that a version of Node refuses. Versions that are not listed are asked. */
const REFUSED_FLAGS: Readonly<Record<string, readonly string[]>> = {
  20: [],
  22: ['--harmony-rab-gsab-transfer', '--interrupt-budget=300000'],
  24: ['--harmony-rab-gsab-transfer', '--interrupt-budget=300000'],
};

/** Names of the flags, without `--` and `no-`, that this Node accepts. One child process of about 30 ms. */
let knownNames: Promise<ReadonlySet<string>> | undefined;

/** The flags that this version of Node accepts. Node refuses to start with an unknown flag. */
export async function supportedV8Flags(flags: readonly string[]): Promise<readonly string[]> {
  const refused = REFUSED_FLAGS[Number.parseInt(process.versions.node, 10)];
  if (refused !== undefined && flags.every((flag) => OWN_FLAGS.includes(flag)))
    return flags.filter((flag) => !refused.includes(flag));
  // Node has accepted those that this process runs with.
  const own = new Set(process.execArgv.map(nameOf));
  if (flags.every((flag) => own.has(nameOf(flag)))) return flags;
  knownNames ??= readKnownNames();
  const known = await knownNames;
  return flags.filter((flag) => known.has(nameOf(flag)));
}

/**
 * Reads the names from `node --v8-options`, and those of Node's own options. An empty set when that fails: the process
 * then runs without flags.
 */
async function readKnownNames(): Promise<ReadonlySet<string>> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['--v8-options'], {
      maxBuffer: 16 * 2 ** 20,
    });
    const flags = Array.from(stdout.matchAll(/^\s+(--[\w-]+)/gm), ([, flag = '']) => flag);
    return new Set([...flags, ...process.allowedNodeEnvironmentFlags].map(nameOf));
  } catch {
    return new Set();
  }
}

/** `--no-memory-reducer` is `memory-reducer`. V8 treats underscores as hyphens. */
function nameOf(flag: string): string {
  return flag
    .replace(/=.*$/, '')
    .replaceAll('_', '-')
    .replace(/^--(?:no-)?/, '');
}
