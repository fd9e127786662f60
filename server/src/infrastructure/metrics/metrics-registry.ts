import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type LabelsOf, type MetricName, type MetricOf, metricEntries } from './declarations.ts';
import { acceptsOpenMetrics, OPENMETRICS_TYPE, PROMETHEUS_TYPE, toOpenMetrics } from './openmetrics.ts';

/** Metrics in a text format. */
export interface RenderedMetrics {
  readonly contentType: string;
  readonly body: string;
}

/** The values of the declared metrics of one server. */
export class MetricsRegistry {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #sources: (() => Promise<void> | void)[] = [];
  #rendering: Promise<string> | undefined;

  constructor() {
    for (const [name, { type, help, labels = {}, buckets = [] }] of metricEntries()) {
      const options = { name, help, labelNames: Object.keys(labels), registers: [this.#registry] };
      if (type === 'counter') this.#counters.set(name, new Counter(options));
      else if (type === 'gauge') this.#gauges.set(name, new Gauge(options));
      else this.#histograms.set(name, new Histogram({ ...options, buckets: [...buckets] }));
    }
  }

  increment<Name extends MetricOf<'counter'>>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    this.#counters.get(name)?.inc(labels ?? {}, by);
  }

  set<Name extends MetricOf<'gauge'>>(name: Name, labels: LabelsOf<Name>, value: number): void {
    this.#gauges.get(name)?.set(labels ?? {}, value);
  }

  /** Removes all values of a gauge, before those that still exist are set again. */
  clear(name: MetricOf<'gauge'>): void {
    this.#gauges.get(name)?.reset();
  }

  observe<Name extends MetricOf<'histogram'>>(name: Name, labels: LabelsOf<Name>, value: number): void {
    this.#histograms.get(name)?.observe(labels ?? {}, value);
  }

  /** Adds a function that is called before each rendering, to set values that are read rather than counted. */
  addSource(source: () => Promise<void> | void): void {
    this.#sources.push(source);
  }

  /** Renders all metrics in the format that the `Accept` header prefers. */
  async render(accept: string | undefined): Promise<RenderedMetrics> {
    // Scrapes at the same time share one rendering.
    this.#rendering ??= this.#render().finally(() => {
      this.#rendering = undefined;
    });
    const text = await this.#rendering;
    return acceptsOpenMetrics(accept)
      ? { contentType: OPENMETRICS_TYPE, body: toOpenMetrics(text) }
      : { contentType: PROMETHEUS_TYPE, body: text };
  }

  /** Names of the metrics, for tests. */
  names(): readonly MetricName[] {
    return metricEntries().map(([name]) => name);
  }

  async #render(): Promise<string> {
    // A source that fails, such as a database that cannot be used, must not hide the other metrics.
    await Promise.allSettled(this.#sources.map(async (source) => source()));
    return this.#registry.metrics();
  }
}
