import { AsyncQueue } from '../../../concurrency/async-queue.ts';
import { ApiError } from '../../../errors.ts';
import type { WorkerFailure, WorkerRequest, WorkerResponse, WorkerSettings } from './messages.ts';
import { SmallMap } from './small-map.ts';

/** What a worker process offers its parent. */
export interface WorkerBody<Job, Event, Input> {
  load(engine: string): Promise<unknown>;
  loadedEngines(): readonly string[];
  /** Does a job; it ends with the promise. Once `signal` aborts, nobody waits for it. */
  run(job: Job, call: JobCall<Event, Input>): Promise<void>;
}

/** One job as its worker sees it. */
export interface JobCall<Event, Input> {
  readonly id: number;
  readonly signal: AbortSignal;
  /** What the parent feeds the job. */
  readonly input: AsyncIterable<Input>;
  send(event: Event): void;
}

interface OpenJob<Input> {
  readonly abort: AbortController;
  readonly input: AsyncQueue<Input>;
}

/** Makes this process a worker: it does what its parent asks, and ends with it. */
export function serveParent<Job, Event, Input>(
  createBody: (settings: WorkerSettings) => WorkerBody<Job, Event, Input>,
): void {
  // An orphan must not keep the models in memory.
  process.on('disconnect', () => process.exit(0));
  // A Ctrl-C in the terminal reaches the whole process group; the parent decides when a worker stops.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});

  const jobs = new SmallMap<OpenJob<Input>>();
  let body: WorkerBody<Job, Event, Input> | undefined;

  process.on('message', (message: WorkerRequest<Job, Input>) => {
    receive(message).catch((error: unknown) => {
      if ('id' in message) send({ type: 'failed', id: message.id, failure: describeFailure(error) });
      else throw error;
    });
  });

  async function receive(message: WorkerRequest<Job, Input>): Promise<void> {
    switch (message.type) {
      case 'start':
        body = createBody(message.settings);
        send({ type: 'ready' });
        return;
      case 'load':
        await startedBody().load(message.engine);
        send({ type: 'done', id: message.id });
        return;
      case 'job':
        await run(message.id, message.job);
        return;
      case 'input':
        jobs.get(message.id)?.input.push(message.input);
        return;
      case 'input-end':
        jobs.get(message.id)?.input.end();
        return;
      case 'cancel':
        cancel(message.id);
        return;
      case 'ping':
        send({
          type: 'pong',
          id: message.id,
          memoryBytes: process.memoryUsage.rss(),
          engines: startedBody().loadedEngines(),
        });
    }
  }

  async function run(id: number, job: Job): Promise<void> {
    const abort = new AbortController();
    const input = new AsyncQueue<Input>(() => {});
    jobs.add(id, { abort, input });
    const { signal } = abort;
    try {
      await startedBody().run(job, {
        id,
        signal,
        input,
        send: (event) => {
          if (!signal.aborted) send({ type: 'event', id, event });
        },
      });
    } catch (error) {
      // Nobody waits for a cancelled job, however it ends.
      if (!signal.aborted) throw error;
    } finally {
      jobs.delete(id);
    }
    send({ type: 'done', id });
  }

  function cancel(id: number): void {
    const job = jobs.get(id);
    if (job === undefined) return;
    job.abort.abort();
    job.input.end();
  }

  function startedBody(): WorkerBody<Job, Event, Input> {
    if (body === undefined) throw new Error('The worker was given work before it was started.');
    return body;
  }

  function send(message: WorkerResponse<Event>): void {
    // The parent may be gone between two messages; `disconnect` ends this process then, not a failed write.
    if (process.connected) process.send!(message, undefined, undefined, () => {});
  }
}

function describeFailure(error: unknown): WorkerFailure {
  const message = error instanceof Error ? error.message : String(error);
  return { code: error instanceof ApiError ? error.code : undefined, message };
}
