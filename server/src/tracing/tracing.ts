/** Values that describe a span. They contain no text, audio, key or account. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** One timed operation of a trace. */
export interface Span {
  setAttributes(attributes: SpanAttributes): void;
  /** Marks the span as failed. Only the code or the class of the error is recorded, since messages may quote a text. */
  fail(error: unknown): void;
  /** Ends the span. Only the first call has an effect. */
  end(): void;
}

export interface SpanOptions {
  readonly attributes?: SpanAttributes;
  /** Makes the span the root of this process: it continues the trace of the caller or begins the trace `traceId`. */
  readonly root?: {
    readonly traceparent: string | undefined;
    /** Undefined: a new one, unless the caller gives one. */
    readonly traceId: string | undefined;
  };
}

/** A span that another process has measured. */
export interface SpanRecord {
  readonly name: string;
  /** Index of the parent in the list of records; undefined: the span to which the list is attached. */
  readonly parent: number | undefined;
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  readonly error: string | undefined;
}

/** The identity of the active span, for log lines. */
export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** Records spans. Implemented for the server process by the OTLP exporter, for worker processes by a recorder. */
export interface Tracer {
  /** Starts a child of the active span. Undefined when there is none and the span is no root, or it is not sampled. */
  start(name: string, options: SpanOptions): Span | undefined;
  /** Runs `work` with the span as the active one. */
  run<Result>(span: Span, work: () => Result): Result;
  active(): Span | undefined;
  activeIds(): TraceIds | undefined;
  /** Adds spans of another process below `parent`. */
  attach(parent: Span, records: readonly SpanRecord[]): void;
}

const NO_SPAN: Span = { setAttributes() {}, fail() {}, end() {} };

/** Of this process. While it is undefined, every function below returns at once. */
let tracer: Tracer | undefined;

/** Installs the tracer of this process, or removes it. */
export function installTracer(installed: Tracer | undefined): void {
  tracer = installed;
}

export function isTracing(): boolean {
  return tracer !== undefined;
}

/** Starts a span. It must be ended in every case. */
export function startSpan(name: string, options: SpanOptions = {}): Span {
  return tracer?.start(name, options) ?? NO_SPAN;
}

/** Runs `work` with the span as the parent of the spans that it starts. */
export function runInSpan<Result>(span: Span, work: () => Result): Result {
  return tracer === undefined || span === NO_SPAN ? work() : tracer.run(span, work);
}

/** The active span; undefined when the current work is not traced. */
export function activeSpan(): Span | undefined {
  return tracer?.active();
}

/** The ids of the active span, for log lines. */
export function activeTraceIds(): TraceIds | undefined {
  return tracer?.activeIds();
}

/** The `traceparent` by which another machine continues the trace below the active span. */
export function activeTraceparent(): string | undefined {
  const ids = tracer?.activeIds();
  // Only sampled spans become active.
  return ids && `00-${ids.traceId}-${ids.spanId}-01`;
}

/** Runs each step of an iteration with the span as the active one. The span ends with the iteration. */
export async function* iterateInSpan<Value>(span: Span, values: AsyncIterable<Value>): AsyncGenerator<Value> {
  const iterator = values[Symbol.asyncIterator]();
  try {
    for (;;) {
      const result = await runInSpan(span, () => iterator.next());
      if (result.done === true) return;
      yield result.value;
    }
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    await iterator.return?.();
    span.end();
  }
}

/** Adds the spans of another process below `parent`. */
export function attachSpans(parent: Span, records: readonly SpanRecord[]): void {
  if (parent !== NO_SPAN) tracer?.attach(parent, records);
}

/** Whether spans below `span` are recorded. */
export function isRecorded(span: Span): boolean {
  return span !== NO_SPAN;
}

/** Runs `work` in a span that ends with it. */
export function traced<Result>(
  name: string,
  work: (span: Span) => Promise<Result>,
  attributes?: SpanAttributes,
): Promise<Result> {
  return tracer === undefined ? work(NO_SPAN) : runTraced(name, work, attributes);
}

async function runTraced<Result>(
  name: string,
  work: (span: Span) => Promise<Result>,
  attributes: SpanAttributes = {},
): Promise<Result> {
  const span = startSpan(name, { attributes });
  try {
    return await runInSpan(span, () => work(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** Runs synchronous work in a span that ends with it. */
export function tracedSync<Result>(name: string, work: () => Result, attributes?: SpanAttributes): Result {
  if (tracer === undefined) return work();
  const span = startSpan(name, attributes && { attributes });
  try {
    return runInSpan(span, work);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** The recorded form of an error: its code, else its class. */
export function errorTypeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && /^\w{1,60}$/.test(code)) return code;
  return error instanceof Error ? error.name : typeof error;
}
