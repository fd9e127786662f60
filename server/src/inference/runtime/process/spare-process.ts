import { type ChildProcess, fork } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { childEnvironment } from '../../../concurrency/child-environment.ts';
import { supportedV8Flags, WORKER_V8_FLAGS } from '../../../concurrency/v8-flags.ts';
import type { WorkerRequest, WorkerSettings } from './messages.ts';

/** What a process begins with before anyone takes it: it loads an engine, if its models are installed. */
export interface SpareOrder {
  readonly settings: WorkerSettings;
  readonly engine: string;
}

interface Spare {
  readonly order: SpareOrder | undefined;
  readonly child: Promise<ChildProcess>;
}

/** Ids of a worker's parent begin with 1, so that nothing waits for this load; a later one shares it. */
const UNAWAITED_LOAD = 0;

/** Processes that were started before anyone needed them, by entry module. */
const spares = new Map<string, Spare>();

/** Starts a worker process that carries out the order, or waits for its settings. The next `takeProcess` gets it. */
export function prepareProcess(entry: string, order?: SpareOrder): void {
  const child = forkWorker(entry);
  // Who takes it starts another one if this one has failed.
  child.then((spare) => begin(spare, order)).catch(() => {});
  spares.set(entry, { order, child });
}

/** A worker process that waits for these settings: the prepared one, unless it has begun with others, or a new one. */
export async function takeProcess(entry: string, settings?: WorkerSettings): Promise<ChildProcess> {
  const spare = spares.get(entry);
  spares.delete(entry);
  const child = await spare?.child.catch(() => undefined);
  if (child === undefined || !child.connected) return forkWorker(entry);
  if (spare?.order === undefined || isDeepStrictEqual(spare.order.settings, settings)) return child;
  child.disconnect();
  return forkWorker(entry);
}

function begin(child: ChildProcess, order: SpareOrder | undefined): void {
  child.once('error', () => {});
  if (order === undefined) return;
  const { settings, engine } = order;
  const requests: WorkerRequest<never, never>[] = [
    { type: 'start', settings },
    { type: 'load', id: UNAWAITED_LOAD, engine },
  ];
  for (const request of requests) child.send(request, () => {});
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
