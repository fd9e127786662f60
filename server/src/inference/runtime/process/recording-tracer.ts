import { AsyncLocalStorage } from 'node:async_hooks';
import {
  errorTypeOf,
  installTracer,
  type Span,
  type SpanAttributes,
  type SpanOptions,
  type SpanRecord,
  type TraceIds,
  type Tracer,
} from '../../../tracing/tracing.ts';

/** Maximum number of spans per job; a longer job has no further ones. */
const SPANS_MAX = 2000;

/** The spans of one job in a worker process. The parent process adds them to the trace of the request. */
export class JobSpans {
  readonly #spans: RecordedSpan[] = [];
  /** The span of the whole job. */
  readonly root: Span;

  constructor(name: string, attributes: SpanAttributes) {
    this.root = this.#add(name, undefined, attributes);
  }

  add(name: string, parent: RecordedSpan, attributes: SpanAttributes): Span | undefined {
    return this.#spans.length < SPANS_MAX ? this.#add(name, parent.index, attributes) : undefined;
  }

  /** All spans, those that are still open ended now. */
  records(): readonly SpanRecord[] {
    for (const span of this.#spans) span.end();
    return this.#spans.map((span) => span.record());
  }

  #add(name: string, parent: number | undefined, attributes: SpanAttributes): RecordedSpan {
    const span = new RecordedSpan(this, { name, index: this.#spans.length, parent, attributes });
    this.#spans.push(span);
    return span;
  }
}

class RecordedSpan implements Span {
  readonly job: JobSpans;
  readonly index: number;
  readonly #name: string;
  readonly #parent: number | undefined;
  readonly #startMs = nowMs();
  #attributes: SpanAttributes;
  #endMs: number | undefined;
  #error: string | undefined;

  constructor(
    job: JobSpans,
    span: {
      readonly name: string;
      readonly index: number;
      readonly parent: number | undefined;
      readonly attributes: SpanAttributes;
    },
  ) {
    this.job = job;
    this.index = span.index;
    this.#name = span.name;
    this.#parent = span.parent;
    this.#attributes = span.attributes;
  }

  setAttributes(attributes: SpanAttributes): void {
    this.#attributes = { ...this.#attributes, ...attributes };
  }

  fail(error: unknown): void {
    this.#error = errorTypeOf(error);
  }

  end(): void {
    this.#endMs ??= nowMs();
  }

  record(): SpanRecord {
    return {
      name: this.#name,
      parent: this.#parent,
      startMs: this.#startMs,
      endMs: this.#endMs ?? this.#startMs,
      attributes: this.#attributes,
      error: this.#error,
    };
  }
}

/** The tracer of a worker process: it records the spans of each traced job. */
class RecordingTracer implements Tracer {
  readonly #active = new AsyncLocalStorage<RecordedSpan>();

  start(name: string, { attributes = {} }: SpanOptions): Span | undefined {
    const parent = this.#active.getStore();
    return parent?.job.add(name, parent, attributes);
  }

  run<Result>(span: Span, work: () => Result): Result {
    return span instanceof RecordedSpan ? this.#active.run(span, work) : work();
  }

  active(): Span | undefined {
    return this.#active.getStore();
  }

  activeIds(): TraceIds | undefined {
    return undefined;
  }

  attach(): void {}
}

let isInstalled = false;

/** Installs the tracer of a worker process with its first traced job. */
export function recordSpans(): void {
  if (!isInstalled) installTracer(new RecordingTracer());
  isInstalled = true;
}

/** Milliseconds since the epoch with the resolution of the monotonic clock. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
