import type { HealthReport } from '../api/schemas/server/health.ts';
import type { HttpServer } from '../api/server/server.ts';
import type { Config } from '../config/config.ts';
import { VERSION } from '../config/package-info.ts';
import { cpuUseOf } from '../inference/runtime/process/cpu-use.ts';
import type { WorkerStatus } from '../inference/runtime/process/supervisor.ts';
import type { MetricsRegistry } from '../infrastructure/metrics/metrics-registry.ts';
import { type MetricsServer, startMetricsServer } from '../infrastructure/metrics/metrics-server.ts';
import { addProcessMetrics } from '../infrastructure/metrics/process-metrics.ts';
import { engineLabel, ServerMetrics, type WorkerKindName } from '../infrastructure/metrics/server-metrics.ts';
import type { OpenDatabase } from '../infrastructure/sql/database.ts';
import type { Accounts } from './accounts.ts';
import type { SpeechRuntime } from './speech/speech-runtime.ts';
import { StartupError } from './startup-error.ts';

/** The metrics of one server. */
export class Metrics extends ServerMetrics {
  readonly #stopSampling: () => void;
  #server: MetricsServer | undefined;

  private constructor(registry: MetricsRegistry) {
    super(registry);
    this.#stopSampling = addProcessMetrics(registry, { version: VERSION });
  }

  /** Loads the metrics library with the first server of a process. */
  static async create(): Promise<Metrics> {
    const { MetricsRegistry } = await import('../infrastructure/metrics/metrics-registry.ts');
    return new Metrics(new MetricsRegistry());
  }

  render(accept: string | undefined) {
    return this.registry.render(accept);
  }

  /** Serves the metrics on a port of their own, if the settings name one. */
  async listen({ metricsHost: host, metricsPort: port }: Pick<Config, 'metricsHost' | 'metricsPort'>) {
    if (port === undefined) return;
    try {
      this.#server = await startMetricsServer({ host, port }, (accept) => this.render(accept));
    } catch (error) {
      throw new StartupError(`MYNAH_METRICS_PORT: ${(error as Error).message}.`, { cause: error });
    }
  }

  /** The private port, once it listens. */
  get port(): number | undefined {
    return this.#server?.port;
  }

  async close(): Promise<void> {
    this.#stopSampling();
    await this.#server?.close();
  }
}

/** The parts whose state is read before each rendering. */
export interface ObservedParts {
  readonly db: OpenDatabase;
  readonly accounts: Pick<Accounts, 'accounting' | 'connections' | 'openHolds'>;
  readonly speech: Pick<SpeechRuntime, 'load' | 'workers'>;
  readonly transcription: {
    readonly activeCount: () => number;
    readonly workers: () => readonly WorkerStatus[];
  };
  readonly cloning: { readonly workers: () => readonly WorkerStatus[] };
  readonly http: Pick<HttpServer, 'countConnections'>;
  readonly health: () => HealthReport;
}

/** Sets the values that are read rather than counted. */
export function observeParts({ registry }: ServerMetrics, parts: ObservedParts): void {
  const { db, accounts, speech, transcription, cloning, http, health } = parts;
  registry.addSource(() => {
    const { ready, models } = health();
    registry.set('mynah_ready', undefined, Number(ready));
    registry.set('mynah_database_up', undefined, Number(db.availability.isAvailable));
    for (const state of ['loading', 'ready', 'failed'] as const) {
      registry.set('mynah_models', { state }, models.filter((model) => model.state === state).length);
    }
    for (const [state, count] of Object.entries(db.countConnections())) {
      registry.set('mynah_database_connections', { state }, count);
    }
    const { streams, utilisation, queued, awaitingFirstAudio } = speech.load();
    registry.set('mynah_speech_streams_active', undefined, streams);
    registry.set('mynah_speech_utilisation_ratio', undefined, utilisation);
    registry.set('mynah_queue_length', { queue: 'capacity' }, queued);
    registry.set('mynah_queue_length', { queue: 'first_audio' }, awaitingFirstAudio);
    registry.set('mynah_queue_length', { queue: 'admission' }, accounts.accounting.admission.queueLength);
    registry.set('mynah_transcriptions_active', undefined, transcription.activeCount());
    registry.set('mynah_websockets_open', undefined, accounts.connections.openCount);
    registry.set('mynah_ledger_deferred_settlements', undefined, accounts.accounting.billing.deferredCount);
  });
  registry.addSource(async () =>
    registry.set('mynah_http_connections', undefined, await http.countConnections()),
  );
  registry.addSource(async () => {
    const { count, oldestAgeMs } = await accounts.openHolds();
    registry.set('mynah_ledger_open_holds', undefined, count);
    registry.set('mynah_ledger_oldest_hold_age_seconds', undefined, oldestAgeMs / 1000);
  });
  observeWorkerProcesses(registry, {
    speech: () => speech.workers(),
    transcription: () => transcription.workers(),
    cloning: () => cloning.workers(),
  });
}

const WORKER_STATES = ['starting', 'ready', 'draining', 'waiting', 'stopped'] as const;

/** Sets the values of worker processes: state, memory, CPU time, pending requests. */
export function observeWorkerProcesses(
  registry: MetricsRegistry,
  pools: Readonly<Partial<Record<WorkerKindName, () => readonly WorkerStatus[]>>>,
): void {
  let cpuSecondsByPid = new Map<number, number>();
  registry.addSource(() => {
    registry.clear('mynah_worker_memory_bytes');
    registry.clear('mynah_engine_load_seconds');
    const cpuSeconds = new Map<number, number>();
    for (const [kind, statusOf] of Object.entries(pools)) {
      const workers = statusOf();
      for (const state of WORKER_STATES) {
        registry.set(
          'mynah_workers',
          { kind, state },
          workers.filter((worker) => worker.state === state).length,
        );
      }
      const pending = workers.reduce((sum, worker) => sum + worker.pendingRequests, 0);
      registry.set('mynah_worker_pending_requests', { kind }, pending);
      for (const [index, { pid, memoryBytes, loadSeconds }] of workers.entries()) {
        if (memoryBytes !== undefined)
          registry.set('mynah_worker_memory_bytes', { kind, worker: String(index) }, memoryBytes);
        for (const [engine, seconds] of Object.entries(loadSeconds)) {
          registry.set('mynah_engine_load_seconds', { kind, engine: engineLabel(engine) }, seconds);
        }
        const cpuMs = pid === undefined ? undefined : cpuUseOf(pid).cpuMs();
        if (pid === undefined || cpuMs === undefined) continue;
        cpuSeconds.set(pid, cpuMs / 1000);
        const added = Math.max(0, cpuMs / 1000 - (cpuSecondsByPid.get(pid) ?? 0));
        registry.increment('mynah_worker_cpu_seconds_total', { kind }, added);
      }
    }
    cpuSecondsByPid = cpuSeconds;
  });
}
