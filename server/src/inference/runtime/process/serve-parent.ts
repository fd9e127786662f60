import type { FfmpegSlots } from '../../../audio/decode/ffmpeg-decoder.ts';
import { AsyncQueue } from '../../../concurrency/async-queue.ts';
import { collectGarbage } from '../../../concurrency/collect-garbage.ts';
import { ApiError } from '../../../errors.ts';
import { runInSpan } from '../../../tracing/tracing.ts';
import { ParentFfmpegSlots } from './ffmpeg-slots.ts';
import type { WorkerFailure, WorkerRequest, WorkerResponse, WorkerSettings } from './messages.ts';
import { JobSpans, recordSpans } from './recording-tracer.ts';
import { SmallMap } from './small-map.ts';

/** When the garbage of a loaded engine is collected. */
const COLLECT_AFTER_MS = 2000;

/** The implementation of a worker process. */
export interface WorkerHost<Job, Event, Input> {
  load(engine: string): Promise<unknown>;
  loadedEngines(): readonly string[];
  /** Seconds that loading each of these engines took. */
  loadSeconds?(): Readonly<Record<string, number>>;
  /** Runs a job until the promise settles. After an abort of the signal its result is ignored. */
  run(job: Job, context: JobContext<Event, Input>): Promise<void>;
}

/** What a host reports to the parent, beside the events of its jobs. */
export interface WorkerReports {
  /** The worker begins a step of a job, so that the parent can limit its duration; undefined: it is idle. */
  beginStep(jobId: number | undefined): void;
}

/** The context of one running job. */
export interface JobContext<Event, Input> {
  readonly id: number;
  readonly signal: AbortSignal;
  /** Input of the job, sent by the parent. */
  readonly input: AsyncIterable<Input>;
  /** Limits the FFmpeg processes of the server. */
  readonly ffmpegSlots: FfmpegSlots;
  send(event: Event): void;
}

interface OpenJob<Input> {
  readonly abort: AbortController;
  readonly input: AsyncQueue<Input>;
}

/** Makes this process a worker: it handles the messages of its parent and exits with it. */
export function serveParent<Job, Event, Input>(
  createHost: (settings: WorkerSettings, reports: WorkerReports) => WorkerHost<Job, Event, Input>,
): void {
  // Without a parent, the models must not stay in memory. `process.exit` would end threads inside native code, which prints an
  // error and aborts.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // Ctrl-C in a terminal signals the entire process group; the parent decides when a worker stops.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});

  const jobs = new SmallMap<OpenJob<Input>>();
  const ffmpegSlots = new ParentFfmpegSlots(send);
  let host: WorkerHost<Job, Event, Input> | undefined;

  process.on('message', (message: WorkerRequest<Job, Input>) => {
    receive(message).catch((error: unknown) => {
      if (message.type === 'start') throw error;
      send({ type: 'failed', id: message.id, failure: describeFailure(error) });
    });
  });

  async function receive(message: WorkerRequest<Job, Input>): Promise<void> {
    switch (message.type) {
      case 'start':
        // A prepared process has begun with these settings, and keeps what it has loaded.
        host ??= createHost(message.settings, { beginStep: (jobId) => send({ type: 'step', jobId }) });
        send({ type: 'ready' });
        return;
      case 'load':
        await startedHost().load(message.engine);
        send({ type: 'done', id: message.id });
        // Files of models and dictionaries, 40 MB, which would stay until V8 runs out of space. Not before the first request.
        setTimeout(collectGarbage, COLLECT_AFTER_MS).unref();
        return;
      case 'job':
        await (message.isTraced ? runTraced(message.id, message.job) : run(message.id, message.job));
        send({ type: 'done', id: message.id });
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
      case 'slot-granted':
        ffmpegSlots.granted(message.id);
        return;
      case 'ping':
        send({
          type: 'pong',
          id: message.id,
          memoryBytes: process.memoryUsage.rss(),
          engines: startedHost().loadedEngines(),
          loadSeconds: startedHost().loadSeconds?.() ?? {},
        });
    }
  }

  /** Sends the spans of a job before its end. */
  async function runTraced(id: number, job: Job): Promise<void> {
    recordSpans();
    const spans = new JobSpans('worker job', { 'process.pid': process.pid });
    try {
      await runInSpan(spans.root, () => run(id, job));
    } catch (error) {
      spans.root.fail(error);
      throw error;
    } finally {
      send({ type: 'spans', id, spans: spans.records() });
    }
  }

  async function run(id: number, job: Job): Promise<void> {
    const abort = new AbortController();
    const input = new AsyncQueue<Input>(() => {});
    jobs.add(id, { abort, input });
    const { signal } = abort;
    try {
      await startedHost().run(job, {
        id,
        signal,
        input,
        ffmpegSlots,
        send: (event) => {
          if (!signal.aborted) send({ type: 'event', id, event });
        },
      });
    } catch (error) {
      // The result of a cancelled job is ignored.
      if (!signal.aborted) throw error;
    } finally {
      jobs.delete(id);
    }
  }

  function cancel(id: number): void {
    const job = jobs.get(id);
    if (job === undefined) return;
    job.abort.abort();
    job.input.end();
  }

  function startedHost(): WorkerHost<Job, Event, Input> {
    if (host === undefined) throw new Error('The worker received a message before `start`.');
    return host;
  }

  function send(message: WorkerResponse<Event>): void {
    // If the parent has exited, `disconnect` ends this process; a failed write must not.
    if (process.connected) process.send!(message, undefined, undefined, () => {});
  }
}

function describeFailure(error: unknown): WorkerFailure {
  const message = error instanceof Error ? error.message : String(error);
  return { code: error instanceof ApiError ? error.code : undefined, message };
}
