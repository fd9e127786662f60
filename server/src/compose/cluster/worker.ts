import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config, Environment } from '../../config/config.ts';
import { VERSION } from '../../config/package-info.ts';
import type { ModelStore } from '../../inference/models/store/model-store.ts';
import { ServerFfmpegSlots } from '../../inference/runtime/process/ffmpeg-slots.ts';
import { cloningRunner } from '../../infrastructure/messaging/cloning/cloning-runner.ts';
import { DispatchServer, type TaskRunners } from '../../infrastructure/messaging/remote/dispatch-server.ts';
import type { RemoteUtterance } from '../../infrastructure/messaging/speech/speech-payloads.ts';
import { speechRunner } from '../../infrastructure/messaging/speech/speech-runner.ts';
import { transcriptionRunner } from '../../infrastructure/messaging/transcription/transcription-runner.ts';
import type { Logger } from '../../logger.ts';
import { CloningRuntime } from '../cloning-runtime.ts';
import { LocalSpeech } from '../local-speech.ts';
import { openModelStore } from '../model-store.ts';
import { startTracing } from '../tracing.ts';
import { TranscriptionRuntime } from '../transcription-runtime.ts';
import { requireNats } from './cluster-settings.ts';
import { openNats } from './nats.ts';

/** Cloning jobs at the same time: they share one process and take seconds each, so that more would only wait. */
const CLONING_SLOTS = 4;

/** A running worker of a cluster. */
export interface ClusterWorker {
  readonly id: string;
  /** Finishes the running tasks for at most `drainSeconds` (default: the setting), then stops. */
  close(drainSeconds?: number): Promise<void>;
}

/**
 * Starts the worker processes of this machine, then serves them to the gateways of the cluster. Uses no database. Throws a
 * `StartupError` when NATS cannot be used.
 */
export async function startWorker(
  config: Config,
  { logger, env }: { readonly logger: Logger; readonly env: Environment },
): Promise<ClusterWorker> {
  requireNats(config);
  const stopTracing = await startTracing(config, { env, logger });
  const store = openModelStore(config, env);
  const id =
    config.workerId ??
    `${hostname()
      .replaceAll(/[^A-Za-z0-9_-]/g, '-')
      .slice(0, 48)}-${randomBytes(4).toString('hex')}`;
  const bus = await openNats(config, `mynah worker ${id}`);
  const parts: WorkerPart[] = [];
  if (config.workerKinds.includes('speech')) parts.push(await startSpeech(config, { logger, store }));
  if (config.workerKinds.includes('transcription')) parts.push(startTranscription(config, { logger, store }));
  if (config.workerKinds.includes('cloning')) parts.push(startCloning(config, { logger, store }));
  const runners: TaskRunners = Object.assign({}, ...parts.map((part) => part.runners));
  const onEvent = (event: string, facts: Readonly<Record<string, unknown>>) => logger.info(facts, event);
  const server = new DispatchServer({ bus, id, version: VERSION, runners, onEvent });
  return {
    id,
    async close(drainSeconds = config.drainSeconds) {
      await server.drain(drainSeconds * 1000);
      await server.close();
      await bus.close();
      await Promise.all(parts.map((part) => part.close()));
      await stopTracing();
    },
  };
}

/** One kind of work of a worker. */
interface WorkerPart {
  readonly runners: TaskRunners;
  close(): Promise<void>;
}

interface PartDeps {
  readonly logger: Logger;
  readonly store: ModelStore;
}

async function startSpeech(config: Config, deps: PartDeps): Promise<WorkerPart> {
  const speech = new LocalSpeech(config, deps);
  let processes = 1;
  await speech.start((count) => {
    processes = count;
  });
  const local = {
    workers: speech.workers,
    prepare: ({ engine, utterance }: RemoteUtterance, signal: AbortSignal) =>
      speech.prepareEngine(engine, utterance.language, signal),
    presence: () => ({ processes, engines: [speech.bestKokoro()] }),
  };
  const runners = { speech: speechRunner(local, { slots: processes * config.workerSlots }) };
  return { runners, close: () => speech.close() };
}

function startTranscription(config: Config, deps: PartDeps): WorkerPart {
  const runtime = new TranscriptionRuntime(config, {
    ...deps,
    ffmpegSlots: new ServerFfmpegSlots(config.ffmpegMax),
  });
  const processes = config.transcriptionWorkers + config.liveTranscriptionWorkers;
  const local = {
    workers: runtime.workers,
    ffmpegPath: config.ffmpegPath,
    fileMaxBytes: config.asrUploadMaxBytes,
    presence: () => ({ processes, engines: [] }),
  };
  const runners = { transcription: transcriptionRunner(local, { slots: processes * config.workerSlots }) };
  return { runners, close: () => runtime.close() };
}

function startCloning(config: Config, deps: PartDeps): WorkerPart {
  const cloning = new CloningRuntime(config, {
    ...deps,
    ffmpegSlots: new ServerFfmpegSlots(config.ffmpegMax),
  });
  const local = {
    run: cloning.run,
    presence: () => ({ processes: 1, engines: [config.cloningEngine] }),
  };
  const runners = { cloning: cloningRunner(local, { slots: CLONING_SLOTS }) };
  return { runners, close: () => cloning.close() };
}
