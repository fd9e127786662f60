import type { MetricsRegistry } from './metrics-registry.ts';

/** The queues that the metrics distinguish, with the errors by which they refuse. */
const REFUSALS = {
  admission: ['queue_full', 'concurrency_exceeded'],
  capacity: ['queue_full'],
  first_audio: ['queue_full'],
  transcription: ['queue_full'],
} as const;
export type QueueName = keyof typeof REFUSALS;

const WORKER_KINDS = ['speech', 'transcription', 'cloning'] as const;
export type WorkerKindName = (typeof WORKER_KINDS)[number];

const OUTCOMES = ['charged', 'free', 'deferred', 'lost', 'failed'] as const;

/** A finished HTTP request. */
export interface FinishedRequest {
  readonly method: string;
  /** Template of the route. */
  readonly route: string;
  readonly status: number;
  /** Stable code of an error response. */
  readonly errorCode: string | undefined;
  /** Undefined for WebSockets. */
  readonly seconds: number | undefined;
}

/** Counts events of the server. Its methods fit the observer interfaces that the other layers declare. */
export class ServerMetrics {
  readonly registry: MetricsRegistry;

  constructor(registry: MetricsRegistry) {
    this.registry = registry;
    // A counter that appears with its first event hides that event from `rate` and `increase`.
    for (const kind of WORKER_KINDS) registry.increment('mynah_worker_restarts_total', { kind }, 0);
    for (const outcome of OUTCOMES) registry.increment('mynah_ledger_settlements_total', { outcome }, 0);
    for (const kind of ['file', 'live']) {
      registry.increment('mynah_transcription_audio_seconds_total', { kind }, 0);
      registry.increment('mynah_transcription_wall_seconds_total', { kind }, 0);
    }
    for (const [queue, codes] of Object.entries(REFUSALS)) {
      for (const code of codes) registry.increment('mynah_admission_refusals_total', { queue, code }, 0);
    }
  }

  requestFinished({ method, route, status, errorCode, seconds }: FinishedRequest): void {
    this.registry.increment('mynah_http_requests_total', { method, route, status: String(status) });
    if (errorCode !== undefined) this.registry.increment('mynah_http_errors_total', { code: errorCode });
    if (seconds !== undefined)
      this.registry.observe('mynah_http_request_duration_seconds', { method, route }, seconds);
  }

  /** The observer of one queue. */
  queue(queue: QueueName) {
    return {
      waited: (seconds: number) => this.registry.observe('mynah_queue_wait_seconds', { queue }, seconds),
      refused: (code: string) => this.registry.increment('mynah_admission_refusals_total', { queue, code }),
    };
  }

  firstAudio(stream: { readonly engine: string; readonly isLive: boolean; readonly seconds: number }): void {
    const labels = { engine: engineLabel(stream.engine), kind: stream.isLive ? 'live' : 'request' };
    this.registry.observe('mynah_speech_first_audio_seconds', labels, stream.seconds);
  }

  synthesized(
    engineName: string,
    { audioSeconds, workSeconds }: { readonly audioSeconds: number; readonly workSeconds: number },
  ): void {
    const engine = engineLabel(engineName);
    this.registry.increment('mynah_speech_audio_seconds_total', { engine }, audioSeconds);
    this.registry.increment('mynah_speech_work_seconds_total', { engine }, workSeconds);
  }

  transcribed(work: {
    readonly isLive: boolean;
    readonly audioSeconds: number;
    readonly wallSeconds: number;
  }): void {
    const kind = work.isLive ? 'live' : 'file';
    this.registry.increment('mynah_transcription_audio_seconds_total', { kind }, work.audioSeconds);
    this.registry.increment('mynah_transcription_wall_seconds_total', { kind }, work.wallSeconds);
  }

  cloned(operation: string, seconds: number): void {
    this.registry.observe('mynah_cloning_duration_seconds', { operation }, seconds);
  }

  workerRestarted(kind: WorkerKindName): void {
    this.registry.increment('mynah_worker_restarts_total', { kind });
  }

  settled(outcome: string): void {
    this.registry.increment('mynah_ledger_settlements_total', { outcome });
  }

  statementFinished(seconds: number): void {
    this.registry.observe('mynah_database_statement_duration_seconds', undefined, seconds);
  }
}

/** The engine of a Piper voice is named after the voice; the label has one value for all of them. */
export function engineLabel(engine: string): string {
  return engine.split(':', 1)[0] ?? engine;
}
