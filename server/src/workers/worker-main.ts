import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import { EngineHost } from './engine-host.ts';
import { JobQueue } from './job-queue.ts';
import type { WorkerFailure, WorkerRequest, WorkerResponse } from './messages.ts';

/** The entry of a worker process: engines live here, and only here. */

// An orphan must not keep the models in memory.
process.on('disconnect', () => process.exit(0));
// A Ctrl-C in the terminal reaches the whole process group; the parent decides when a worker stops.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

const queue = new JobQueue(() => nextTurn());
const aborts = new Map<number, AbortController>();
let host: EngineHost | undefined;

process.on('message', (message: WorkerRequest) => {
  receive(message).catch((error: unknown) => {
    if ('id' in message) send({ type: 'failed', id: message.id, failure: describeFailure(error) });
    else throw error;
  });
});

async function receive(message: WorkerRequest): Promise<void> {
  switch (message.type) {
    case 'start':
      host = new EngineHost(message.settings);
      send({ type: 'ready' });
      return;
    case 'load':
      await startedHost().engine(message.engine);
      send({ type: 'done', id: message.id });
      return;
    case 'speak':
      await speak(message);
      return;
    case 'cancel':
      cancel(message.id);
      return;
    case 'ping':
      send({
        type: 'pong',
        id: message.id,
        memoryBytes: process.memoryUsage.rss(),
        engines: startedHost().loadedEngines(),
      });
  }
}

async function speak(message: Extract<WorkerRequest, { type: 'speak' }>): Promise<void> {
  const { id, dueAtMs, utterance } = message;
  const abort = new AbortController();
  aborts.set(id, abort);
  try {
    const engine = await startedHost().engine(message.engine);
    await startedHost().prepareLanguage(utterance.language);
    if (abort.signal.aborted) return;
    const parts = engine.speak(utterance, abort.signal)[Symbol.asyncIterator]();
    queue.add({
      id,
      dueAtMs,
      step: () => parts.next(),
      onAudio: (part) => send({ type: 'audio', id, part }),
      onEnd: () => {
        aborts.delete(id);
        send({ type: 'done', id });
      },
      onError: (error) => {
        aborts.delete(id);
        send({ type: 'failed', id, failure: describeFailure(error) });
      },
    });
  } catch (error) {
    aborts.delete(id);
    throw error;
  }
}

function cancel(id: number): void {
  const abort = aborts.get(id);
  if (abort === undefined) return;
  aborts.delete(id);
  abort.abort();
  queue.remove(id);
  send({ type: 'done', id });
}

function startedHost(): EngineHost {
  if (host === undefined) throw new Error('The worker was given work before it was started.');
  return host;
}

function send(message: WorkerResponse): void {
  // The parent may be gone between two messages; `disconnect` ends this process then, not a failed write.
  if (process.connected) process.send!(message, undefined, undefined, () => {});
}

function describeFailure(error: unknown): WorkerFailure {
  const message = error instanceof Error ? error.message : String(error);
  return { code: error instanceof ApiError ? error.code : undefined, message };
}
