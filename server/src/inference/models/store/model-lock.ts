import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  identifyThisProcess,
  type ProcessIdentity,
  probeProcess,
} from '../../../concurrency/process-identity.ts';
import { createFolder } from '../../../create-folder.ts';

const HEARTBEAT_MS = 5_000;
const STALE_AFTER_MS = 60_000;
const POLL_MS = 200;

/** A lock held by this process. */
export interface HeldLock {
  /** False when another machine has removed the lock as stale, for example after a long suspension. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Options for the acquisition of a lock. */
export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once when another process holds the lock, with its process id. */
  readonly onWait?: ((holderPid: number) => void) | undefined;
}

/**
 * Acquires the lock `name` in a folder that any number of processes may share.
 *
 * Every contender creates a file with a unique name and then lists the folder: without another contender it holds the
 * lock, otherwise it deletes its file and retries. Since names are unique, deleting the file of a dead process cannot
 * delete the file of a live one, which is the usual race of lock files.
 */
export async function acquireLock(
  folder: string,
  name: string,
  options: LockOptions = {},
): Promise<HeldLock> {
  await createFolder(folder);
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
    // A random delay, so that two contenders do not collide repeatedly.
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

/** Finds a live contender other than `ownPath`, and deletes the files of dead ones. */
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
  // A name may contain dots, so the fixed length of the token determines its end.
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
    // Created and not written yet, or its writer was killed in between: the age decides.
    return undefined;
  }
}

async function isStale(contender: Contender): Promise<boolean> {
  const state = contender.identity === undefined ? 'unknown' : await probeProcess(contender.identity);
  return state === 'dead' || (state === 'unknown' && contender.idleMs > STALE_AFTER_MS);
}
