import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config, Environment } from '../../config/config.ts';
import { VERSION } from '../../config/package-info.ts';
import type { ModelStore } from '../../inference/models/store/model-store.ts';
import { ServerFfmpegSlots } from '../../inference/runtime/process/ffmpeg-slots.ts';
import type { WorkerStatus } from '../../inference/runtime/process/supervisor.ts';
import { cloningRunner } from '../../infrastructure/messaging/cloning/cloning-runner.ts';
import { DispatchServer, type TaskRunners } from '../../infrastructure/messaging/remote/dispatch-server.ts';
import type { RemoteUtterance } from '../../infrastructure/messaging/speech/speech-payloads.ts';
import { speechRunner } from '../../infrastructure/messaging/speech/speech-runner.ts';
import { transcriptionRunner } from '../../infrastructure/messaging/transcription/transcription-runner.ts';
import type { WorkerKindName } from '../../infrastructure/metrics/server-metrics.ts';
import type { Logger } from '../../logger.ts';
import { CloningRuntime } from '../cloning-runtime.ts';
import { Metrics, observeWorkerProcesses } from '../metrics.ts';
import { openModelStore } from '../model-store.ts';
import { LocalSpeech } from '../speech/local-speech.ts';
import { startTracing } from '../tracing.ts';
import { TranscriptionRuntime } from '../transcription-runtime.ts';
import { requireNats } from './cluster-settings.ts';
import { openNats } from './nats.ts';

/** Cloning jobs at the same time: they share one process and take seconds each, so that more would only wait. */
const CLONING_SLOTS = 4;

/** A running worker of a cluster. */
export interface ClusterWorker {
  readonly id: string;
  /** The port of the metrics, if the settings ask for one. */
  readonly metricsPort: number | undefined;
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
  const metrics = config.metricsPort === undefined ? undefined : await Metrics.create();
  const deps = { logger, store, metrics };
  const parts: WorkerPart[] = [];
  if (config.workerKinds.includes('speech')) parts.push(await startSpeech(config, deps));
  if (config.workerKinds.includes('transcription')) parts.push(startTranscription(config, deps));
  if (config.workerKinds.includes('cloning')) parts.push(startCloning(config, deps));
  const runners: TaskRunners = Object.assign({}, ...parts.map((part) => part.runners));
  const onEvent = (event: string, facts: Readonly<Record<string, unknown>>) => logger.info(facts, event);
  let isServing = false;
  if (metrics) {
    const { registry } = metrics;
    registry.addSource(() => registry.set('mynah_ready', undefined, Number(isServing)));
    observeWorkerProcesses(registry, Object.fromEntries(parts.map((part) => [part.kind, part.processes])));
    await metrics.listen(config);
  }
  const server = new DispatchServer({ bus, id, version: VERSION, runners, onEvent });
  isServing = true;
  return {
    id,
    metricsPort: metrics?.port,
    async close(drainSeconds = config.drainSeconds) {
      isServing = false;
      await server.drain(drainSeconds * 1000);
      await server.close();
      await bus.close();
      await Promise.all(parts.map((part) => part.close()));
      await metrics?.close();
      await stopTracing();
    },
  };
}

/** One kind of work of a worker. */
interface WorkerPart {
  readonly kind: WorkerKindName;
  readonly runners: TaskRunners;
  processes(): readonly WorkerStatus[];
  close(): Promise<void>;
}

interface PartDeps {
  readonly logger: Logger;
  readonly store: ModelStore;
  readonly metrics: Metrics | undefined;
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
  return {
    kind: 'speech',
    runners,
    processes: () => speech.workers.status(),
    close: () => speech.close(),
  };
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
  return {
    kind: 'transcription',
    runners,
    processes: () => runtime.workerStatus(),
    close: () => runtime.close(),
  };
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
  return {
    kind: 'cloning',
    runners,
    processes: () => cloning.workerStatus(),
    close: () => cloning.close(),
  };
}
