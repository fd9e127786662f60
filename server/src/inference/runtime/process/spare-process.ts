import { type ChildProcess, fork } from 'node:child_process';
import { childEnvironment } from '../../../concurrency/child-environment.ts';
import { supportedV8Flags, WORKER_V8_FLAGS } from '../../../concurrency/v8-flags.ts';

/** Processes that were started before anyone needed them, by entry module. */
const spares = new Map<string, Promise<ChildProcess>>();

/** Starts a worker process that waits for its settings. The next `takeProcess` gets it. */
export function prepareProcess(entry: string): void {
  const spare = forkWorker(entry);
  // Who takes it starts another one if this one has failed.
  spare.then((child) => child.once('error', () => {})).catch(() => {});
  spares.set(entry, spare);
}

/** A worker process that waits for its settings: the prepared one, or a new one. */
export async function takeProcess(entry: string): Promise<ChildProcess> {
  const spare = spares.get(entry);
  spares.delete(entry);
  const child = await spare?.catch(() => undefined);
  return child?.connected ? child : forkWorker(entry);
}

async function forkWorker(entry: string): Promise<ChildProcess> {
  return fork(entry, {
    env: childEnvironment(process.env),
    execArgv: [...(await supportedV8Flags(WORKER_V8_FLAGS))],
    // The default serialization (JSON) costs ten times as much for samples.
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}
