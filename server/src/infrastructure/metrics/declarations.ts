/** One metric. The names of labels and their values are bounded: no account, key, voice, path or text. */
export interface MetricDeclaration {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Names of the labels with a description of their values. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[];
}

/** From a fast database statement to a slow one. */
const STATEMENT_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
/** First audio: 50 ms is fast, above 1 s a listener notices. */
const FIRST_AUDIO_BUCKETS = [0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10, 30];
/** A request may stream speech for minutes. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const WAIT_BUCKETS = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const CLONING_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];

const QUEUE_LABEL =
  '`admission` (fair between accounts), `capacity` (streams in real time), `first_audio` (requests before their first audio), `transcription`';
const KIND_LABEL = '`speech`, `transcription`, `cloning`';
const ENGINE_LABEL = 'name of the engine; one name for all Piper voices';

/** Every metric of the server. Names follow Prometheus: base units, `_total` for counters. */
export const METRICS = {
  mynah_build_info: {
    type: 'gauge',
    help: 'Version of the server and of Node. The value is 1.',
    labels: { version: 'version of the server', node: 'version of Node' },
  },
  mynah_ready: { type: 'gauge', help: 'Whether a speech request would be served now, 1 or 0.' },
  mynah_http_requests_total: {
    type: 'counter',
    help: 'Finished HTTP requests, including those that the client ended early.',
    labels: {
      method: 'HTTP method',
      route: 'template of the route, such as `/v1/tts`',
      status: 'status code',
    },
  },
  mynah_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the arrival of a request to the end of its response. WebSockets are left out.',
    labels: { method: 'HTTP method', route: 'template of the route' },
    buckets: REQUEST_BUCKETS,
  },
  mynah_http_errors_total: {
    type: 'counter',
    help: 'Error responses by stable error code.',
    labels: { code: 'error code, see the reference of errors' },
  },
  mynah_http_connections: { type: 'gauge', help: 'Open TCP connections of the HTTP port.' },
  mynah_websockets_open: { type: 'gauge', help: 'Open WebSockets.' },
  mynah_speech_first_audio_seconds: {
    type: 'histogram',
    help: 'Time from the arrival of a request to its first audio. In a live session: from the first text that is spoken.',
    labels: { engine: ENGINE_LABEL, kind: '`request`, `live`' },
    buckets: FIRST_AUDIO_BUCKETS,
  },
  mynah_speech_audio_seconds_total: {
    type: 'counter',
    help: 'Synthesized audio.',
    labels: { engine: ENGINE_LABEL },
  },
  mynah_speech_work_seconds_total: {
    type: 'counter',
    help: 'Worker time spent on synthesis (wall clock). Divided by the audio seconds: the synthesis ratio.',
    labels: { engine: ENGINE_LABEL },
  },
  mynah_speech_streams_active: { type: 'gauge', help: 'Open speech streams.' },
  mynah_speech_utilisation_ratio: {
    type: 'gauge',
    help: 'Share of the speech workers that the open streams need, by the measured cost of their engines.',
  },
  mynah_queue_length: {
    type: 'gauge',
    help: 'Requests that wait.',
    labels: { queue: '`admission`, `capacity`, `first_audio`' },
  },
  mynah_queue_wait_seconds: {
    type: 'histogram',
    help: 'Time that requests have waited, admitted or not.',
    labels: { queue: '`admission`, `capacity`' },
    buckets: WAIT_BUCKETS,
  },
  mynah_admission_refusals_total: {
    type: 'counter',
    help: 'Requests that a queue has refused.',
    labels: { queue: QUEUE_LABEL, code: 'error code: `queue_full`, `concurrency_exceeded`' },
  },
  mynah_transcription_audio_seconds_total: {
    type: 'counter',
    help: 'Transcribed audio.',
    labels: { kind: '`file`, `live`' },
  },
  mynah_transcription_wall_seconds_total: {
    type: 'counter',
    help: 'Time from the start to the end of transcriptions. Divided by the audio seconds of files: the ratio of ASR.',
    labels: { kind: '`file`, `live`' },
  },
  mynah_transcriptions_active: { type: 'gauge', help: 'Recordings and live sessions in transcription.' },
  mynah_cloning_duration_seconds: {
    type: 'histogram',
    help: 'Duration of the jobs of voice cloning, including the wait for a worker and the loading of models.',
    labels: { operation: '`read`, `clone`, `refine`, `mix`, `design`' },
    buckets: CLONING_BUCKETS,
  },
  mynah_workers: {
    type: 'gauge',
    help: 'Worker processes.',
    labels: { kind: KIND_LABEL, state: '`starting`, `ready`, `draining`, `waiting`, `stopped`' },
  },
  mynah_worker_restarts_total: {
    type: 'counter',
    help: 'Worker processes that ended and were replaced.',
    labels: { kind: KIND_LABEL },
  },
  mynah_worker_memory_bytes: {
    type: 'gauge',
    help: 'Resident memory of a worker process.',
    labels: { kind: KIND_LABEL, worker: 'index of the worker, from 0' },
  },
  mynah_worker_cpu_seconds_total: {
    type: 'counter',
    help: 'CPU time of the worker processes, as of the latest scrape of each process. Linux only.',
    labels: { kind: KIND_LABEL },
  },
  mynah_worker_pending_requests: {
    type: 'gauge',
    help: 'Requests to worker processes without a final response.',
    labels: { kind: KIND_LABEL },
  },
  mynah_engine_load_seconds: {
    type: 'gauge',
    help: 'Duration of the latest load of an engine in a running worker process.',
    labels: { kind: KIND_LABEL, engine: ENGINE_LABEL },
  },
  mynah_models: {
    type: 'gauge',
    help: 'Models that were requested since the start.',
    labels: { state: '`loading`, `ready`, `failed`' },
  },
  mynah_ledger_open_holds: { type: 'gauge', help: 'Open holds of all accounts.' },
  mynah_ledger_oldest_hold_age_seconds: {
    type: 'gauge',
    help: 'Age of the oldest open hold; 0 without one.',
  },
  mynah_ledger_settlements_total: {
    type: 'counter',
    help: 'Ended charges by outcome.',
    labels: {
      outcome: '`charged`, `free`, `deferred` (database outage), `lost` (hold no longer open), `failed`',
    },
  },
  mynah_ledger_deferred_settlements: {
    type: 'gauge',
    help: 'Charges that wait for the end of an outage of the database.',
  },
  mynah_database_up: { type: 'gauge', help: 'Whether the database can be used, 1 or 0.' },
  mynah_database_connections: {
    type: 'gauge',
    help: 'Database connections, and requests that wait for one.',
    labels: { state: '`used`, `idle`, `waiting`' },
  },
  mynah_database_statement_duration_seconds: {
    type: 'histogram',
    help: 'Duration of database statements.',
    buckets: STATEMENT_BUCKETS,
  },
  process_cpu_seconds_total: {
    type: 'counter',
    help: 'CPU time of the server process, without its workers.',
  },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory of the server process.' },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'Start of the server process, in seconds since the epoch.',
  },
  nodejs_heap_used_bytes: { type: 'gauge', help: 'Used part of the JavaScript heap.' },
  nodejs_eventloop_delay_seconds: {
    type: 'gauge',
    help: 'Delay of the event loop since the previous scrape.',
    labels: { percentile: '`50`, `99`, `100` (maximum)' },
  },
  nodejs_eventloop_utilization_ratio: {
    type: 'gauge',
    help: 'Share of time in which the event loop was busy since the previous scrape.',
  },
} as const satisfies Readonly<Record<string, MetricDeclaration>>;

export type MetricName = keyof typeof METRICS;

/** The names of the metrics of one type. */
export type MetricOf<Type extends MetricDeclaration['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** The values for the labels of a metric. */
export type LabelsOf<Name extends MetricName> = (typeof METRICS)[Name] extends {
  readonly labels: infer Labels;
}
  ? Readonly<Record<keyof Labels & string, string>>
  : undefined;

/** The table, in its order. */
export function metricEntries(): readonly (readonly [MetricName, MetricDeclaration])[] {
  return Object.entries(METRICS) as [MetricName, MetricDeclaration][];
}

/** The names under which Prometheus stores a metric. */
export function seriesNames(name: MetricName): readonly string[] {
  const { type }: MetricDeclaration = METRICS[name];
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}
