import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  identifyThisProcess,
  type ProcessIdentity,
  probeProcess,
} from '../../../concurrency/process-identity.ts';

const HEARTBEAT_MS = 5_000;
const STALE_AFTER_MS = 60_000;
const POLL_MS = 200;

/** A lock that is held. */
export interface HeldLock {
  /** False when another machine took this one for dead, for example after a long suspension. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** How to wait for a lock. */
export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once when somebody else holds the lock, with that process's id. */
  readonly onWait?: ((holderPid: number) => void) | undefined;
}

/**
 * Takes the lock `name` in a folder that any number of processes may share.
 *
 * Every contender puts down a file with a name of its own and then looks around: alone, it holds the lock;
 * otherwise it takes its file away and tries again later. Since names are never shared, removing the file
 * of a dead process cannot remove the file of a live one, which is the classic race of lock files.
 */
export async function acquireLock(
  folder: string,
  name: string,
  options: LockOptions = {},
): Promise<HeldLock> {
  await mkdir(folder, { recursive: true });
  const identity = await identifyThisProcess();
  let hasReportedWait = false;
  for (;;) {
    options.signal?.throwIfAborted();
    const holderBefore = await findHolder(folder, name);
    if (holderBefore === undefined) {
      const path = join(folder, `${name}.${randomUUID()}.lock`);
      await writeFile(path, JSON.stringify(identity), { flag: 'wx' });
      if ((await findHolder(folder, name, path)) === undefined) return holdLock(path);
      await rm(path, { force: true });
    } else if (!hasReportedWait) {
      hasReportedWait = true;
      options.onWait?.(holderBefore.pid);
    }
    // Uneven pauses, so that two contenders that met do not meet again.
    await sleep(POLL_MS * (0.5 + Math.random()), undefined, options.signal && { signal: options.signal });
  }
}

function holdLock(path: string): HeldLock {
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    isHeld: () =>
      stat(path).then(
        () => true,
        () => false,
      ),
    release: async () => {
      clearInterval(heartbeat);
      await rm(path, { force: true });
    },
  };
}

/** Finds a live contender other than `ownPath`, and removes the files of dead ones on the way. */
async function findHolder(
  folder: string,
  name: string,
  ownPath?: string,
): Promise<{ pid: number } | undefined> {
  for (const entry of await readdir(folder)) {
    if (!isLockOf(name, entry)) continue;
    const path = join(folder, entry);
    if (path === ownPath) continue;
    const contender = await readContender(path);
    if (contender === undefined) continue;
    if (await isStale(contender)) await rm(path, { force: true });
    else return { pid: contender.identity?.pid ?? 0 };
  }
  return undefined;
}

function isLockOf(name: string, entry: string): boolean {
  // A name may itself hold dots, so the length of the token decides where it ends.
  const suffixLength = '.00000000-0000-0000-0000-000000000000.lock'.length;
  return entry.endsWith('.lock') && entry.slice(0, -suffixLength) === name;
}

interface Contender {
  readonly identity: ProcessIdentity | undefined;
  readonly idleMs: number;
}

async function readContender(path: string): Promise<Contender | undefined> {
  try {
    const { mtimeMs } = await stat(path);
    const content = await readFile(path, 'utf8');
    return { identity: parseIdentity(content), idleMs: Date.now() - mtimeMs };
  } catch {
    return undefined;
  }
}

function parseIdentity(content: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(content) as ProcessIdentity;
  } catch {
    // Put down this instant and not written yet, or its writer was killed in between: age decides.
    return undefined;
  }
}

async function isStale(contender: Contender): Promise<boolean> {
  const life = contender.identity === undefined ? 'unknown' : await probeProcess(contender.identity);
  return life === 'dead' || (life === 'unknown' && contender.idleMs > STALE_AFTER_MS);
}
