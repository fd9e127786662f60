import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** Identifies one process, so that another can check whether it is alive although process ids are reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Machine and process-id namespace, within which process ids are unique. */
  readonly scope: string;
  /** Start time in clock ticks since boot; empty where the system does not provide it. */
  readonly startedAt: string;
}

async function readStartTime(pid: number): Promise<string | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may itself contain spaces and parentheses.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    const state = fields[0];
    return state === 'Z' || state === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

async function readScope(): Promise<string> {
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return `${hostname()} ${namespace}`.trim();
}

function isPidInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The identity of this process. */
export async function identifyThisProcess(): Promise<ProcessIdentity> {
  const startedAt = (await readStartTime(process.pid)) ?? '';
  return { pid: process.pid, scope: await readScope(), startedAt };
}

/** Whether a process is alive; `unknown` when it belongs to another machine or container. */
export async function probeProcess(identity: ProcessIdentity): Promise<'alive' | 'dead' | 'unknown'> {
  if (identity.scope !== (await readScope())) return 'unknown';
  if (identity.startedAt === '') return isPidInUse(identity.pid) ? 'alive' : 'dead';
  return (await readStartTime(identity.pid)) === identity.startedAt ? 'alive' : 'dead';
}
