// The temporary folder of a test run. In memory where possible, because databases wait for every fsync of a disk.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY_FOLDER = '/dev/shm';
const MEMORY_MIN_BYTES = 4e9;
const PREFIX = 'mynah-test-';
/** Containers may share the folder; process IDs are unique in one PID namespace only. */
const PID_NAMESPACE = readPidNamespace();

/** Creates the folder of this run, after it has removed those of runs that crashed. */
export function createTemporaryFolder() {
  const parent = isUsable(MEMORY_FOLDER, MEMORY_MIN_BYTES) ? MEMORY_FOLDER : tmpdir();
  removeAbandoned(parent);
  const folder = mkdtempSync(join(parent, `${PREFIX}${PID_NAMESPACE}-${process.pid}-`));
  letOthersEnter(folder);
  return folder;
}

/** Creates a folder for one process of the run. */
export function createChildFolder(folder, name) {
  const path = join(folder, name);
  mkdirSync(path);
  letOthersEnter(path);
  return path;
}

/** Whatever the umask is: PostgreSQL runs as another user in a folder below. */
function letOthersEnter(folder) {
  chmodSync(folder, 0o711);
}

/** Removes a folder. A mount that a killed test has left in it remains. */
export function removeFolder(path) {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    console.error(`${path} remains: ${error.message}`);
  }
}

/** True if files in a folder can be written and executed, and it has this much space. */
export function isUsable(folder, minBytes) {
  let probe;
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < minBytes) return false;
    probe = mkdtempSync(join(folder, PREFIX));
    const script = join(probe, 'probe');
    writeFileSync(script, '#!/bin/sh\nexit 0\n', { mode: 0o700 });
    return spawnSync(script).status === 0;
  } catch {
    return false;
  } finally {
    if (probe !== undefined) removeFolder(probe);
  }
}

/** Removes the folders of runs that ended without doing so. */
export function removeAbandoned(parent) {
  for (const name of readdirSync(parent)) {
    const [, namespace, pid] = name.match(/^mynah-test-(\d+)-(\d+)-/) ?? [];
    if (namespace === PID_NAMESPACE && !isRunning(Number(pid))) removeFolder(join(parent, name));
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

function readPidNamespace() {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
  } catch {
    return '0';
  }
}
