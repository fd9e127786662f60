import { AsyncLocalStorage } from 'node:async_hooks';
import {
  context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import {
  errorTypeOf,
  type Span,
  type SpanAttributes,
  type SpanOptions,
  type SpanRecord,
  type TraceIds,
  type Tracer,
} from '../../tracing/tracing.ts';
import { samplerOf } from './sampler.ts';
import { parseTraceparent } from './traceparent.ts';

export interface OtlpTracerOptions {
  /** Base URL of the collector; `/v1/traces` is appended. */
  readonly endpoint: string;
  readonly version: string;
  /** The variables of OpenTelemetry: service name, headers, timeout, sampler. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called when spans could not be delivered. */
  readonly onProblem: (error: Error) => void;
}

/** Spans that wait for delivery. Further ones are dropped, so that an absent collector costs bounded memory. */
const QUEUE_MAX = 4096;
const EXPORT_DELAY_MS = 1000;

/** Records spans and delivers them to an OpenTelemetry collector by OTLP over HTTP, in JSON. */
export class OtlpTracer implements Tracer {
  readonly #provider: TracerProvider;
  readonly #tracer: OtelTracer;
  readonly #ids = new RequestIdGenerator();
  readonly #active = new AsyncLocalStorage<OtlpSpan>();

  constructor({ endpoint, version, env, onProblem }: OtlpTracerOptions) {
    const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': env.OTEL_SERVICE_NAME || 'mynah',
        'service.version': version,
        'process.pid': process.pid,
      }),
      sampler: samplerOf(env),
      idGenerator: this.#ids,
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: reportingExporter(exporter, onProblem),
          maxQueueSize: QUEUE_MAX,
          scheduledDelayMillis: EXPORT_DELAY_MS,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer('mynah', version);
  }

  start(name: string, { attributes, root }: SpanOptions): Span | undefined {
    const parent = root === undefined ? this.#active.getStore() : undefined;
    if (root === undefined && parent === undefined) return undefined;
    const remote = root && parseTraceparent(root.traceparent);
    const base = remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
    this.#ids.nextTraceId = root?.traceId;
    const otel = this.#tracer.startSpan(
      name,
      { kind: root ? SpanKind.SERVER : SpanKind.INTERNAL, ...(attributes && { attributes }) },
      parent ? trace.setSpan(base, parent.otel) : base,
    );
    this.#ids.nextTraceId = undefined;
    return isSampled(otel) ? new OtlpSpan(otel) : undefined;
  }

  run<Result>(span: Span, work: () => Result): Result {
    return span instanceof OtlpSpan ? this.#active.run(span, work) : work();
  }

  active(): Span | undefined {
    return this.#active.getStore();
  }

  activeIds(): TraceIds | undefined {
    const active = this.#active.getStore();
    if (active === undefined) return undefined;
    const { traceId, spanId } = active.otel.spanContext();
    return { traceId, spanId };
  }

  attach(parent: Span, records: readonly SpanRecord[]): void {
    if (!(parent instanceof OtlpSpan)) return;
    const spans: OtelSpan[] = [];
    for (const { name, parent: index, startMs, attributes, error } of records) {
      const above = (index === undefined ? undefined : spans[index]) ?? parent.otel;
      const options = { startTime: startMs, attributes: { ...attributes } };
      const span = this.#tracer.startSpan(name, options, trace.setSpan(context.active(), above));
      if (error !== undefined) setError(span, error);
      spans.push(span);
    }
    for (const [index, { endMs }] of records.entries()) spans[index]?.end(endMs);
  }

  /** Delivers the remaining spans. */
  async close(): Promise<void> {
    await this.#provider.shutdown();
  }
}

class OtlpSpan implements Span {
  readonly otel: OtelSpan;

  constructor(otel: OtelSpan) {
    this.otel = otel;
  }

  setAttributes(attributes: SpanAttributes): void {
    this.otel.setAttributes({ ...attributes });
  }

  fail(error: unknown): void {
    setError(this.otel, errorTypeOf(error));
  }

  end(): void {
    if (this.otel.isRecording()) this.otel.end();
  }
}

/** Random ids, except that the trace of a request has the id that its response and its log lines carry. */
class RequestIdGenerator implements IdGenerator {
  nextTraceId: string | undefined;
  readonly #random = new RandomIdGenerator();

  generateTraceId(): string {
    return this.nextTraceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#random.generateSpanId();
  }
}

function reportingExporter(exporter: SpanExporter, onProblem: (error: Error) => void): SpanExporter {
  return {
    export(spans, onResult) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined) onProblem(result.error);
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

function isSampled(span: OtelSpan): boolean {
  return (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
}

function setError(span: OtelSpan, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', type);
}
